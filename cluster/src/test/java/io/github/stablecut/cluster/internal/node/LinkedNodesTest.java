package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.PemKeys;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes read from each other over links while these exist. */
class LinkedNodesTest {
  @TempDir private Path directory;
  private final List<NodeRuntime> nodes = new ArrayList<>();

  private void start(Optional<NodeSettings.Tls> tls) throws IOException {
    List<Integer> ports = Ports.free(2);
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    for (int port : ports) {
      String name = "n" + nodes.size();
      nodes.add(
          NodeRuntime.start(
              new NodeSettings(
                  name,
                  directory.resolve(name),
                  StoreOptions.defaults().withPartitions(2),
                  new NodeSettings.Endpoint("127.0.0.1", port, tls),
                  new NodeSettings.Formation(seeds, 2),
                  NodeSettings.MoveLimits.DEFAULT)));
    }
    for (NodeRuntime node : nodes) {
      node.await();
    }
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeRuntime::close);
  }

  @Test
  void nodesWithCertificatesHaveLinksToo() throws Exception {
    PemKeys.make(directory, "node", "RSA");
    Path certificate = directory.resolve("node.crt");
    start(
        Optional.of(new NodeSettings.Tls(certificate, directory.resolve("node.key"), certificate)));
    CounterKey key = Key.counter("linked", "k");
    CausalToken written = nodes.get(0).await().update(key.increment(7));

    Eventually.holds(
        "there are links both ways",
        () -> {
          for (int i = 0; i < 32; i++) {
            // Some of them are on the other node.
            for (NodeRuntime node : nodes) {
              assertThat(node.await().read(Key.counter("linked", "k" + i))).isNotNegative();
            }
          }
          return nodes.get(0).links().size() >= 2 && nodes.get(1).links().size() >= 2;
        });

    assertThat(nodes.get(1).await().at(written).read(key)).isEqualTo(7);
  }

  @Test
  void readsContinueWhenLinksBreak() throws Exception {
    start(Optional.empty());
    Store one = nodes.get(0).await();
    Store two = nodes.get(1).await();
    List<CounterKey> keys = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      keys.add(Key.counter("linked", "k" + i));
      one.update(keys.get(i).increment(i));
    }
    RegisterKey<Bytes> large = Key.register("linked", "large", Codec.bytes());
    Bytes value = Bytes.wrap(new byte[100_000]);
    CausalToken written = one.update(large.assign(value));
    assertThat(two.at(written).read(large)).contains(value);
    AtomicLong read = new AtomicLong();
    AtomicBoolean isOver = new AtomicBoolean();
    List<CompletableFuture<Void>> readers = new ArrayList<>();
    for (Store store : List.of(one, two)) {
      readers.add(
          CompletableFuture.runAsync(
              () -> {
                while (!isOver.get()) {
                  for (int i = 0; i < keys.size(); i++) {
                    assertThat(store.read(keys.get(i))).isEqualTo(i);
                  }
                  assertThat(store.read(large)).contains(value);
                  read.incrementAndGet();
                }
              }));
    }
    Eventually.holds("there are links", () -> nodes.get(0).links().size() >= 2);

    for (int i = 0; i < 10; i++) {
      long before = read.get();
      nodes.get(i % 2).links().breakAll();
      Eventually.holds("both read on", () -> read.get() > before + 4);
    }
    isOver.set(true);
    readers.forEach(CompletableFuture::join);
  }
}
