package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes that own nothing, and nodes that return, get all that they need over links. The clocks of
 * the nodes differ by ten seconds each.
 */
class ObserverLinksTest {
  private static final Bytes LARGE = Bytes.wrap(new byte[300_000]);

  @TempDir private Path directory;

  private final Map<String, NodeRuntime> nodes = new HashMap<>();
  private List<Integer> ports = List.of();
  private int written;

  @BeforeEach
  void start() throws Exception {
    ports = Ports.free(3);
    start("n0", 0);
    start("n1", 1);
    await();
  }

  @AfterEach
  void stop() {
    nodes.values().forEach(NodeRuntime::close);
  }

  private void start(String name, int number) {
    nodes.put(name, NodeRuntime.start(settings(name, number).build()));
  }

  private void observe(String name) {
    nodes.put(name, NodeRuntime.start(settings(name, 2).isObserver(true).build()));
  }

  private NodeSettings.Builder settings(String name, int number) {
    return NodeSettings.builder(
        name,
        directory.resolve(name),
        StoreOptions.defaults()
            .withPartitions(name.startsWith("v") ? 0 : 4)
            .withClock(Clock.offset(Clock.systemUTC(), Duration.ofSeconds(-10L * number))),
        new NodeSettings.Endpoint("127.0.0.1", ports.get(number), Optional.empty()),
        new NodeSettings.Formation(
            ports.subList(0, 2).stream().map(port -> "127.0.0.1:" + port).toList(), 2));
  }

  private void close(String name) {
    Objects.requireNonNull(nodes.remove(name)).close();
  }

  private void await() throws Exception {
    for (NodeRuntime node : nodes.values()) {
      node.await();
      Eventually.holds(
          "all are reachable", () -> node.partitions().stream().allMatch(p -> p.isReachable()));
    }
  }

  /** Reads and writes small and large objects of all partitions at a node, alone and together. */
  private void assertServed(String name) {
    Store store = Objects.requireNonNull(nodes.get(name)).await();
    written++;
    for (int i = 0; i < 8; i++) {
      CounterKey small = Key.counter(name, "k" + i);
      RegisterKey<Bytes> large = Key.register(name, "large" + i, Codec.bytes());
      store.update(small.increment(), Key.counter(name, "all").increment());
      CausalToken token = store.update(large.assign(LARGE));
      assertThat(store.at(token).read(small)).isEqualTo(written);
      assertThat(store.at(token).read(large)).contains(LARGE);
    }
  }

  @Test
  void anObserverIsServed() throws Exception {
    observe("v");
    await();

    assertServed("v");
  }

  @Test
  void anObserverThatRestartsIsServed() throws Exception {
    observe("v");
    await();
    assertServed("v");

    close("v");
    observe("v");
    await();
    assertServed("v");

    close("v");
    observe("v2");
    await();
    written = 0;
    assertServed("v2");
  }

  @Test
  void anObserverIsServedByAMemberThatHasRestarted() throws Exception {
    observe("v");
    await();
    assertServed("v");

    close("n1");
    start("n1", 1);
    await();

    assertServed("v");
  }

  @Test
  void aNodeThatHasLeftIsServedWhenItJoinsAgain() throws Exception {
    close("n1");
    start("n1", 1);
    await();

    assertServed("n1");
  }
}
