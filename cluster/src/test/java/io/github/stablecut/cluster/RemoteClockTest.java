package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store on two nodes, of which the clock of the named one is ten seconds behind. */
final class RemoteClockTest {
  @TempDir private Path directory;

  private ServerSettings settings(int node, List<Integer> ports) {
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    StoreOptions store =
        StoreOptions.defaults()
            .withPartitions(4)
            .withClock(Clock.offset(Clock.systemUTC(), Duration.ofSeconds(-10L * node)));
    return Settings.of(directory.resolve("n" + node))
        .withStore(store)
        .withCluster(
            new ClusterSettings(
                "n" + node, Endpoint.loopback(ports.get(node)), seeds, 2, 0, Long.MAX_VALUE));
  }

  @Test
  void aClientSeesOnEachNodeWhatAnotherOneHasAcknowledgedToIt() throws Exception {
    List<Integer> ports = Ports.free(2);
    List<Server> servers = new ArrayList<>();
    // Each waits for the other.
    Thread first = new Thread(() -> servers.add(Server.start(settings(0, ports))));
    first.start();
    try (Server behind = Server.start(settings(1, ports))) {
      first.join();
      try (Server ahead = servers.get(0);
          Store store = Stablecut.connect("stablecut://127.0.0.1:" + behind.address().getPort())) {
        CounterKey count =
            IntStream.range(0, 100)
                .mapToObj(i -> Key.counter("b", "k" + i))
                .filter(key -> ahead.partitions().get(store.partitionOf(key)).node().equals("n0"))
                .findFirst()
                .orElseThrow();
        for (int i = 1; i <= 100; i++) {
          store.update(count.increment());
          int made = i;
          store.run(tx -> assertThat(tx.read(count)).isEqualTo(made));
          assertThat(store.snapshot().read(count)).isEqualTo(i);
        }
      }
    }
  }
}
