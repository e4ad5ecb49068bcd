package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.ConditionalResult;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.testing.history.RegisterHistory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients of three nodes with three replicas of each partition compare-and-set and read registers
 * while nodes are killed, paused and cut off. The histories are linearizable.
 *
 * <p>Runs for {@code -Dstablecut.minutes}, 5 by default. {@code -Dstablecut.seed} determines the
 * order of faults.
 */
@Tag("long")
class ClusterRegistersTest {
  private static final int NODES = 3;
  private static final int CLIENTS = 6;
  private static final int REGISTERS = 2;
  private static final int FAULTS_PER_ROUND = 3;

  /** The number of operations between faults, and during each. */
  private static final int ENOUGH = 200;

  private static final long PAUSE_NANOS = 2_000_000;

  @TempDir private Path directory;

  private enum Fault {
    KILL,
    STAND_STILL,
    CUT_OFF
  }

  private List<Options> nodes() throws Exception {
    Path file = directory.resolve("settings.conf");
    Files.writeString(
        file,
        "stablecut { store.timeouts { read = 2 s, commit = 2 s }, store.partitions = 2,"
            + " cluster.replicas = 3 }");
    List<Options> nodes = new ArrayList<>();
    for (Options one : TestCluster.options(directory, NODES)) {
      nodes.add(one.with("--config", file.toString()).ahead(nodes.size() * 2_000L));
    }
    return nodes;
  }

  private static RegisterKey<Long> key(int round, int register) {
    return Key.register("registers", round + "/" + register, Codec.int64());
  }

  private static long compareAndSet(
      Store store, RegisterKey<Long> key, long expected, long written) {
    ConditionalResult result =
        store.compareAndUpdate(
            List.of(key), values -> values.get(key).orElse(0L) == expected, key.assign(written));
    long found = result.found().get(key).orElse(0L);
    assertThat(result.isWritten()).isEqualTo(found == expected);
    return found;
  }

  /** The clients of one round, which uses registers of its own. */
  private static final class Round implements AutoCloseable {
    private final TestCluster cluster;
    private final int number;
    private final RegisterHistory history = new RegisterHistory(REGISTERS);
    private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    private final List<Future<?>> working = new ArrayList<>();
    private volatile boolean isEnd;

    Round(TestCluster cluster, int number) {
      this.cluster = cluster;
      this.number = number;
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        working.add(threads.submit(() -> work(client)));
      }
    }

    private void work(int client) {
      Random random = new Random();
      long[] last = new long[REGISTERS];
      long written = 1_000_000_000L * (client + 1);
      for (int node = client; !isEnd; node++) {
        try (Store store = cluster.node(node % NODES).connect()) {
          while (!isEnd) {
            int register = random.nextInt(REGISTERS);
            RegisterKey<Long> key = key(number, register);
            long before = last[register];
            if (random.nextBoolean()) {
              last[register] = history.read(register, () -> store.readLatest(key).orElse(0L));
            } else {
              long next = ++written;
              long found =
                  history.writeIf(
                      register, before, next, () -> compareAndSet(store, key, before, next));
              last[register] = found == before ? next : found;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
          }
        } catch (StablecutException e) {
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }

    void awaitMore() throws Exception {
      int before = history.answered();
      Eventually.holds("clients are answered", () -> history.answered() > before + ENOUGH);
    }

    RegisterHistory end() throws Exception {
      isEnd = true;
      for (Future<?> one : working) {
        one.get();
      }
      return history;
    }

    @Override
    public void close() {
      isEnd = true;
      threads.shutdown();
    }
  }

  private static void inflict(Fault fault, TestCluster cluster, int node, Round round)
      throws Exception {
    round.awaitMore();
    switch (fault) {
      case KILL -> {
        cluster.node(node).kill();
        round.awaitMore();
        cluster.restart(node);
      }
      case STAND_STILL -> {
        cluster.node(node).signal("STOP");
        try {
          round.awaitMore();
        } finally {
          cluster.node(node).signal("CONT");
        }
      }
      case CUT_OFF -> {
        cluster.cutOff(node);
        round.awaitMore();
        cluster.mend();
      }
    }
    cluster.awaitWhole();
  }

  @Test
  void registersAreLinearizableWhileNodesFail() throws Exception {
    long seed = Long.getLong("stablecut.seed", System.nanoTime());
    System.out.println("faults with -Dstablecut.seed=" + seed);
    Random random = new Random(seed);
    long end =
        System.nanoTime() + Duration.ofMinutes(Long.getLong("stablecut.minutes", 5)).toNanos();
    try (TestCluster cluster = TestCluster.formBehindProxies(nodes())) {
      cluster.awaitWhole();
      for (int number = 0; System.nanoTime() - end < 0; number++) {
        List<Fault> faults = new ArrayList<>();
        try (Round round = new Round(cluster, number)) {
          for (int i = 0; i < FAULTS_PER_ROUND; i++) {
            Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
            faults.add(fault);
            inflict(fault, cluster, random.nextInt(NODES), round);
          }
          RegisterHistory history = round.end();
          System.out.printf(
              "%s: %,d operations, %,d writes with unknown outcome%n",
              faults, history.answered(), history.open());
          assertThat(history.violation()).as("%s with seed %d", faults, seed).isEmpty();
        }
      }
    }
  }
}
