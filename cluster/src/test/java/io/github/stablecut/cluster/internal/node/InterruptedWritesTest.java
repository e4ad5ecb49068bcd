package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.ResetProxy;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Links to n1 are reset in the middle of writes of n0 and of their replies. Each write is executed
 * once, and n0 learns that.
 */
class InterruptedWritesTest {
  private static final List<ListKey<Bytes>> KEYS =
      IntStream.range(0, 6).mapToObj(i -> Key.list("interrupted", "k" + i, Codec.bytes())).toList();

  @TempDir private Path directory;

  private final List<NodeRuntime> nodes = new ArrayList<>();
  private final Random random = new Random(7);
  private ResetProxy proxy;

  @BeforeEach
  void start() throws Exception {
    List<Integer> ports = Ports.free(3);
    proxy = new ResetProxy(ports.get(2));
    for (int i = 0; i < 2; i++) {
      nodes.add(
          NodeRuntime.start(
              new NodeSettings(
                  "n" + i,
                  directory.resolve("n" + i),
                  StoreOptions.defaults().withPartitions(2),
                  new NodeSettings.Endpoint(
                      "127.0.0.1",
                      ports.get(i),
                      ports.get(i),
                      Optional.empty(),
                      ClusterSecret.userFile(),
                      i == 0 ? 0 : proxy.port(),
                      i == 0 ? 0 : ports.get(2)),
                  new NodeSettings.Formation(
                      ports.subList(0, 2).stream().map(port -> "127.0.0.1:" + port).toList(), 2),
                  NodeSettings.MoveLimits.DEFAULT)));
    }
    for (NodeRuntime node : nodes) {
      node.await();
    }
    Eventually.holds(
        "n0 reaches all",
        () -> nodes.get(0).partitions().stream().allMatch(partition -> partition.isReachable()));
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeRuntime::close);
    proxy.close();
  }

  /** Adds elements to lists while connections are reset after random numbers of bytes. */
  private void write(int rounds, int elementBytes, int maxBytes, LongConsumer reset) {
    Store store = nodes.get(0).await();
    Bytes element = Bytes.wrap(new byte[elementBytes]);
    for (int round = 0; round < rounds; round++) {
      reset.accept(random.nextInt(maxBytes));
      for (ListKey<Bytes> key : KEYS) {
        store.update(key.insert(0, element));
      }
    }
    for (ListKey<Bytes> key : KEYS) {
      assertThat(store.readLatest(key)).hasSize(rounds);
    }
    assertThat(proxy.resets()).isGreaterThan(rounds / 4);
  }

  @Test
  void aResetInASmallRequest() {
    write(30, 1, 200, proxy::resetAfterRequest);
  }

  @Test
  void aResetInTheReplyToASmallRequest() {
    write(30, 1, 100, proxy::resetAfterReply);
  }

  @Test
  void aResetInALargeRequest() {
    write(12, 100_000, 100_000, proxy::resetAfterRequest);
  }

  @Test
  void aResetInTheReplyToALargeRequest() {
    write(12, 100_000, 100, proxy::resetAfterReply);
  }
}
