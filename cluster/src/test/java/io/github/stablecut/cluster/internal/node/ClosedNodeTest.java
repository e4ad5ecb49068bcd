package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import akka.actor.AbstractActor;
import akka.actor.Props;
import io.github.stablecut.Scan;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Closing a node while others use its store fails their calls, and none of them blocks forever. */
class ClosedNodeTest {
  private static final List<CounterKey> KEYS =
      IntStream.range(0, 20).mapToObj(i -> Key.counter("b", "k" + i)).toList();

  @TempDir static Path directory;

  private static Update[] increments() {
    return KEYS.stream().map(key -> key.increment(1)).toArray(Update[]::new);
  }

  /** The operations that run in a loop; some need one node, some both. */
  private static Map<String, Function<Store, Object>> uses() {
    Map<String, Function<Store, Object>> uses = new LinkedHashMap<>();
    uses.put("read", store -> ofEach(store::read));
    uses.put("read several", store -> store.read(KEYS));
    uses.put("read async", store -> store.readAsync(KEYS).toCompletableFuture().join());
    uses.put("read latest", store -> ofEach(store::readLatest));
    uses.put("scan", ClosedNodeTest::scan);
    uses.put("update one", store -> ofEach(key -> store.update(key.increment())));
    uses.put("update", store -> store.update(increments()));
    uses.put("update async", store -> store.updateAsync(increments()).toCompletableFuture().join());
    uses.put("condition", ClosedNodeTest::updateIfAll);
    uses.put("session", store -> store.openSession().update(1, increments()));
    uses.put("status", Store::status);
    return uses;
  }

  private static Object ofEach(Function<CounterKey, Object> use) {
    return KEYS.stream().map(use).toList();
  }

  private static Object scan(Store store) {
    try (Scan scan = store.snapshot().scan("b")) {
      return scan.stream().toList();
    }
  }

  private static Object updateIfAll(Store store) {
    return ofEach(key -> store.compareAndUpdate(List.of(key), found -> true, key.increment()));
  }

  private static NodeRuntime start(String name, int port, List<String> seeds) throws IOException {
    return NodeRuntime.start(
        new NodeSettings(
            name,
            directory.resolve(name),
            StoreOptions.defaults().withPartitions(4),
            new NodeSettings.Endpoint("127.0.0.1", port, Optional.empty()),
            new NodeSettings.Formation(seeds, 2),
            NodeSettings.MoveLimits.DEFAULT));
  }

  @Test
  void usersOfItsStoreLearnThatItIsClosed() throws Exception {
    List<Integer> ports = Ports.free(2);
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    try (NodeRuntime used = start("n0", ports.get(0), seeds);
        NodeRuntime other = start("n1", ports.get(1), seeds)) {
      Store store = used.await();
      assertThat(other.await().read(KEYS.get(0))).isZero();
      CountDownLatch areUsing = new CountDownLatch(uses().size());
      List<FutureTask<String>> users = new ArrayList<>();
      uses()
          .forEach(
              (name, use) -> {
                FutureTask<String> user =
                    new FutureTask<>(() -> name + ": " + end(store, use, areUsing));
                users.add(user);
                new Thread(user, name).start();
              });
      areUsing.await();
      close(used);
      for (FutureTask<String> user : users) {
        assertThat(user.get()).contains(StoreClosedException.class.getName());
      }
    }
  }

  /** Blocks the termination of Akka's system, as a connection whose other end is not closed. */
  private static final class StuckActor extends AbstractActor {
    private final CountDownLatch end;

    private StuckActor(CountDownLatch end) {
      this.end = end;
    }

    @Override
    public Receive createReceive() {
      return emptyBehavior();
    }

    @Override
    public void postStop() throws InterruptedException {
      end.await();
    }
  }

  @Test
  void closesInTimeAlthoughItsActorsDoNotEnd() throws Exception {
    int port = Ports.free(1).get(0);
    CountDownLatch end = new CountDownLatch(1);
    NodeRuntime node =
        NodeRuntime.start(
            new NodeSettings(
                "n9",
                directory.resolve("n9"),
                StoreOptions.defaults(),
                new NodeSettings.Endpoint("127.0.0.1", port, Optional.empty()),
                new NodeSettings.Formation(List.of("127.0.0.1:" + port), 1),
                NodeSettings.MoveLimits.DEFAULT));
    try {
      Store store = node.await();
      node.akka()
          .system()
          .actorOf(Props.create(StuckActor.class, () -> new StuckActor(end)), "stuck");

      assertThat(CompletableFuture.runAsync(node::close))
          .as("SIGTERM ends a server within ten seconds")
          .succeedsWithin(Duration.ofSeconds(10));

      assertThatThrownBy(() -> store.read(KEYS.get(0))).isInstanceOf(StoreClosedException.class);
      assertThat(node.akka().system().getWhenTerminated().toCompletableFuture()).isNotDone();
    } finally {
      end.countDown();
    }
  }

  private static void close(NodeRuntime node) {
    node.close();
  }

  /** Repeats an access of the store until it fails, and returns the failure. */
  private static Throwable end(Store store, Function<Store, Object> use, CountDownLatch areUsing) {
    while (true) {
      try {
        Objects.requireNonNull(use.apply(store));
        areUsing.countDown();
      } catch (PartitionUnavailableException | OutcomeUnknownException e) {
        // The node has left the cluster and is not closed yet.
      } catch (CompletionException e) {
        Throwable cause = e.getCause();
        if (!(cause instanceof PartitionUnavailableException)
            && !(cause instanceof OutcomeUnknownException)) {
          return cause == null ? e : cause;
        }
      } catch (RuntimeException e) {
        return e;
      }
    }
  }
}
