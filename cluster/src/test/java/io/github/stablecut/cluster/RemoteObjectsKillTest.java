package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.ObjectType;
import io.github.stablecut.object.Operation;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.Outcome;
import io.github.stablecut.object.SharedObject;
import io.github.stablecut.object.collection.SharedList;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients call objects while servers are killed with SIGKILL. A call that returns was executed
 * once; a call that fails because no server is reachable was not executed.
 */
final class RemoteObjectsKillTest {
  private static final int CLIENTS = 4;

  /** The number of acknowledged calls of all clients between two kills. */
  private static final int CALLS = 40;

  private static final Mutator<Long, Long> ADD =
      Operation.mutator("add", Codec.int64(), (sum, more) -> sum + more);
  private static final MutatorAccessor<Long, Long, Long> NEXT =
      Operation.mutatorAccessor(
          "next",
          Codec.int64(),
          Codec.int64(),
          (sum, more) -> new Outcome<>(sum + more, sum + more));
  private static final ObjectType<Long> COUNT =
      ObjectType.of("count", Codec.int64(), 0L).with(ADD, NEXT);

  @TempDir private Path directory;
  private final AtomicInteger acknowledged = new AtomicInteger();
  private volatile boolean isOver;

  /** The results of a client's executed calls. */
  private record ExecutedCalls(long blind, List<Long> results, List<String> listed) {}

  private static SharedObject<Long> count(Store store, String name) {
    return ObjectSpace.of(store).open("counts", name, COUNT);
  }

  private static SharedList<String> list(Store store) {
    return SharedList.open(ObjectSpace.of(store), "lists", "all", Codec.string());
  }

  private ExecutedCalls call(Store store, int client) {
    SharedObject<Long> blind = count(store, "blind");
    SharedObject<Long> shared = count(store, "shared");
    SharedList<String> list = list(store);
    List<Long> results = new ArrayList<>();
    List<String> listed = new ArrayList<>();
    for (int i = 0; !isOver; i++) {
      String element = client + "/" + i;
      retry(() -> blind.call(ADD, 1L));
      retry(() -> results.add(shared.call(NEXT, 1L)));
      retry(() -> list.add(element));
      listed.add(element);
      acknowledged.incrementAndGet();
    }
    return new ExecutedCalls(results.size(), results, listed);
  }

  /** Retries a call until it is executed: a call that failed was not. */
  private static void retry(Runnable call) {
    while (true) {
      try {
        call.run();
        return;
      } catch (RetryException e) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /** An action that may kill a server. */
  private interface Kill {
    void execute(int round) throws Exception;
  }

  private void checkCalls(Store store, int kills, Kill kill) throws Exception {
    List<CompletableFuture<ExecutedCalls>> clients = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      int number = client;
      CompletableFuture<ExecutedCalls> made = new CompletableFuture<>();
      clients.add(made.completeAsync(() -> call(store, number), task -> new Thread(task).start()));
    }
    for (int round = 0; round < kills; round++) {
      int before = acknowledged.get();
      Eventually.holds(
          "calls are acknowledged",
          () ->
              acknowledged.get() >= before + CALLS
                  || clients.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
      kill.execute(round);
    }
    isOver = true;

    long blind = 0;
    List<Long> results = new ArrayList<>();
    List<String> listed = new ArrayList<>();
    for (CompletableFuture<ExecutedCalls> client : clients) {
      ExecutedCalls made = client.get();
      blind += made.blind;
      results.addAll(made.results);
      listed.addAll(made.listed);
    }
    assertThat(results).doesNotHaveDuplicates().hasSize((int) blind);
    assertThat(count(store, "blind").state()).isEqualTo(blind);
    assertThat(count(store, "shared").state()).isEqualTo(blind);
    assertThat(count(store, "shared").position()).isEqualTo(blind);
    assertThat(list(store).snapshot()).containsExactlyInAnyOrderElementsOf(listed);
  }

  @Test
  void callsExecuteOnceWhileAServerIsKilledAndRestarted() throws Exception {
    // A port outside the ephemeral range, which connections do not get while the server is down.
    int port = Ports.free(1).get(0);
    List<ServerProcess> servers = new ArrayList<>();
    servers.add(ServerProcess.start(directory, port));
    try (Store store = Stablecut.connect("stablecut://127.0.0.1:" + port)) {
      checkCalls(
          store,
          2,
          round -> {
            servers.get(round).kill();
            servers.add(ServerProcess.start(directory, port));
          });
    } finally {
      servers.forEach(ServerProcess::close);
    }
  }

  @Test
  @Tag("long")
  void callsExecuteOnceWhileNodesOfAReplicatedClusterAreKilled() throws Exception {
    List<NodeProcess.Options> nodes =
        TestCluster.options(directory, 3).stream()
            .map(node -> node.with("--replicas", "3", "--partitions", "3"))
            .toList();
    try (TestCluster cluster = TestCluster.form(nodes);
        Store store = cluster.node(0).connect()) {
      cluster.awaitReplicas();
      checkCalls(
          store,
          6,
          round -> {
            int node = round % 3;
            cluster.node(node).kill();
            cluster.restart(node);
            cluster.awaitWhole();
            cluster.awaitReplicas();
          });
    }
  }
}
