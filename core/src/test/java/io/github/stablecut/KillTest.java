package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A JVM with eight writers is killed with SIGKILL again and again: each acknowledged transaction
 * exists, whole and once.
 */
final class KillTest {
  private static final int WRITERS = 8;

  /** Enough for a few hundred groups; the signal strikes at a random point among them. */
  private static final int MAX_ACKNOWLEDGED = 3_000;

  @TempDir private Path directory;

  /**
   * Numbers its transactions from 1, reports each number when it is committed, and continues from
   * the store's state.
   */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws InterruptedException {
      try (Store store = Stablecut.open(Path.of(args[0]))) {
        List<Thread> threads = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
          Objects objects = new Objects(writer);
          // The first operation after opening is a write.
          store.update(objects.openings.increment());
          threads.add(new Thread(() -> objects.write(store)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
          thread.join();
        }
      }
    }
  }

  /** The objects of one writer, all written by each transaction. */
  private static final class Objects {
    private final int writer;
    private final CounterKey openings;
    private final CounterKey left;
    private final CounterKey right;
    private final RegisterKey<String> last;
    private final AddWinsSetKey<String> done;

    Objects(int writer) {
      this.writer = writer;
      openings = Key.counter("openings", "" + writer);
      left = Key.counter("left", "" + writer);
      right = Key.counter("right", "" + writer);
      last = Key.register("last", "" + writer, Codec.string());
      done = Key.addWinsSet("done", "" + writer, Codec.string());
    }

    void write(Store store) {
      for (long n = store.read(left) + 1; ; n++) {
        store.update(left.increment(), right.increment(), last.assign("" + n), done.add("" + n));
        synchronized (System.out) {
          System.out.println(writer + " " + n);
        }
      }
    }

    /** Checks the objects and returns this writer's number of transactions. */
    long check(Store store) {
      Values values = store.read(List.of(left, right, last, done));
      long there = values.get(left);
      assertThat(values.get(right)).as("both counters of writer %d", writer).isEqualTo(there);
      assertThat(values.get(last).orElse("0")).isEqualTo("" + there);
      Set<String> numbers = values.get(done);
      assertThat(numbers).hasSize((int) there);
      for (long n = 1; n <= there; n++) {
        // AssertJ's contains compares with each element: minutes for tens of thousands of them.
        assertThat(numbers.contains("" + n)).as("writer %d, transaction %d", writer, n).isTrue();
      }
      return there;
    }
  }

  @Test
  void keepsAcknowledgedTransactionsThroughFiveKills() throws Exception {
    killAndCheck(5, new Random());
  }

  @Test
  @Tag("long")
  void keepsAcknowledgedTransactionsThroughSixtyKills() throws Exception {
    killAndCheck(60, new Random());
  }

  private void killAndCheck(int rounds, Random random) throws Exception {
    Map<Integer, Long> acknowledged = new HashMap<>();
    for (int round = 1; round <= rounds; round++) {
      Process child = ChildJvm.start(Writer.class, directory.toString());
      List<String> lines = ChildJvm.lines(child, 1 + random.nextInt(MAX_ACKNOWLEDGED));
      // Kills by process id: {@code Process.destroy} would close the pipe and lose reported lines.
      child.toHandle().destroyForcibly();
      lines.addAll(ChildJvm.lines(child, Integer.MAX_VALUE));
      assertThat(child.waitFor()).as("killed, not ended").isEqualTo(128 + 9);
      for (String line : lines) {
        acknowledgedLine(line)
            .ifPresent(ack -> acknowledged.merge(ack.getKey(), ack.getValue(), Math::max));
      }
      check(acknowledged, round);
    }
  }

  /** The signal may cut the last line short. */
  private static Optional<Map.Entry<Integer, Long>> acknowledgedLine(String line) {
    String[] words = line.split(" ", -1);
    return line.matches("[0-9]+ [0-9]+")
        ? Optional.of(Map.entry(Integer.valueOf(words[0]), Long.valueOf(words[1])))
        : Optional.empty();
  }

  private void check(Map<Integer, Long> acknowledged, int round) {
    try (Store store = Stablecut.open(directory)) {
      for (int writer = 0; writer < WRITERS; writer++) {
        Objects objects = new Objects(writer);
        long there = objects.check(store);
        long told = acknowledged.getOrDefault(writer, 0L);
        assertThat(there)
            .as("round %d, writer %d: told %d", round, writer, told)
            .isBetween(told, told + 1);
        assertThat(store.read(objects.openings)).isBetween(1L, (long) round);
        acknowledged.put(writer, there);
      }
    }
  }
}
