package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The servers of two nodes, one of whose clocks is ten seconds behind. */
final class ServersOfNodesTest {
  @TempDir private static Path directory;
  private static final List<Server> SERVERS = new ArrayList<>();

  private static ServerSettings settings(int node, List<Integer> ports) {
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

  /** Starts both concurrently, as each waits for the other. */
  @BeforeAll
  static void start() throws Exception {
    List<Integer> ports = Ports.free(2);
    CompletableFuture<Server> ahead =
        CompletableFuture.supplyAsync(
            () -> Server.start(settings(0, ports)), task -> new Thread(task).start());
    Server behind = Server.start(settings(1, ports));
    SERVERS.add(ahead.get());
    SERVERS.add(behind);
  }

  @AfterAll
  static void close() {
    SERVERS.forEach(Server::close);
    SERVERS.clear();
  }

  @Test
  void anotherNodeRefusesATransactionAndNamesItsNode() throws IOException {
    try (WireClient first = new WireClient(SERVERS.get(0));
        WireClient other = new WireClient(SERVERS.get(1))) {
      Bytes transaction = first.begin();

      Response refused =
          other.call(new Request.Read(List.of(WireClient.counter("a")), transaction));

      assertThat(refused).isInstanceOf(Response.Failed.class);
      assertThat(((Response.Failed) refused).message())
          .contains("was begun at node n0, and this is node n1");
      assertThat(first.countIn(transaction, "a")).isZero();
    }
  }

  @Test
  void eachNodeShowsAClientTheAcknowledgedWritesOfOthers() {
    Server ahead = SERVERS.get(0);
    int behind = SERVERS.get(1).address().getPort();
    try (Store store = Stablecut.connect("stablecut://127.0.0.1:" + behind)) {
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

  @Test
  void readsAnotherNodesObjectsCorrectly() throws IOException {
    Bytes large = Bytes.wrap(new byte[100_000]);
    try (WireClient one = new WireClient(SERVERS.get(0));
        WireClient two = new WireClient(SERVERS.get(1))) {
      Bytes clock = Bytes.EMPTY;
      for (int i = 0; i < 16; i++) {
        clock = written(one, WireClient.add("hop" + i, i));
        BoundObject register = WireClient.object(WireType.LWWREG, "large" + i);
        clock = written(one, new ObjectUpdate(register, new WireOperation.Assign(large)));
      }
      // Often enough for links to be established meanwhile.
      for (int round = 0; round < 50; round++) {
        for (WireClient client : List.of(one, two)) {
          for (int i = 0; i < 16; i++) {
            assertThat(value(client, clock, WireClient.counter("hop" + i)))
                .isEqualTo(new WireValue.Count(i));
          }
        }
      }
      for (WireClient client : List.of(one, two, one, two)) {
        for (int i = 0; i < 16; i++) {
          assertThat(value(client, clock, WireClient.object(WireType.LWWREG, "large" + i)))
              .isEqualTo(new WireValue.Register(large));
          assertThat(value(client, clock, WireClient.counter("none" + i)))
              .isEqualTo(new WireValue.Count(0));
          assertThat(client.call(WireClient.readOf(WireClient.object(WireType.LWWREG, "hop" + i))))
              .isInstanceOf(Response.Failed.class);
        }
      }
    }
  }

  private static Bytes written(WireClient client, ObjectUpdate update) throws IOException {
    return ((Response.Committed) client.call(WireClient.updateOf(update))).clock();
  }

  private static WireValue value(WireClient client, Bytes clock, BoundObject object)
      throws IOException {
    Response answer = client.call(new Request.StaticRead(Optional.of(clock), List.of(object)));
    return ((Response.StaticValues) answer).values().get(0);
  }
}
