package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writers, readers of old snapshots, checkpoints, truncation and kills, all together and for long,
 * in a small heap: no snapshot ever has half a transaction, nothing acknowledged is lost, and the
 * disk usage stays constant while the journal is replaced many times.
 */
final class SoakTest {
  private static final int WRITERS = 3;
  private static final int ACCOUNTS = 40;
  private static final int ACKNOWLEDGE_EACH = 20;
  private static final int VALUE_LENGTH = 2_000;
  private static final int MAX_LINES = 600;

  /**
   * Many times the size of checkpoints, the history of a fifth of a second and spare segments. On a
   * busy machine checkpoints lag behind, and one life can write 100 MiB before its lines are read.
   */
  private static final long MAX_BYTES = 320L << 20;

  @TempDir private Path directory;

  /**
   * The store's process: reports acknowledged transactions and its disk usage until it is killed.
   */
  static final class Life {
    private static final StoreOptions OPTIONS =
        StoreOptions.defaults()
            .withMaxTransactionAge(Duration.ofSeconds(5))
            .withCache(CacheOptions.bytes(1 << 20))
            .withLimits(
                StoreOptions.Limits.defaults().withSegmentBytes(1 << 20).withEffectBytes(2 << 20))
            .withCheckpoints(
                CheckpointPolicy.defaults()
                    .withJournalBytes(2 << 20)
                    .withRetention(Duration.ofMillis(200)));

    private final Store store;
    private final Deque<CausalToken> tokens = new ArrayDeque<>();

    private Life(Store store) {
      this.store = store;
    }

    public static void main(String[] args) throws InterruptedException {
      try (Store store = Stablecut.open(Path.of(args[0]), OPTIONS)) {
        new Life(store).run();
      }
    }

    private void run() throws InterruptedException {
      List<Thread> threads = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        int number = writer;
        report("there %d %d".formatted(writer, store.read(written(writer))));
        threads.add(new Thread(() -> write(number)));
      }
      threads.add(new Thread(this::readPins));
      threads.add(new Thread(this::readTokens));
      for (Thread thread : threads) {
        thread.setUncaughtExceptionHandler((failed, e) -> report("failed " + e));
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }

    private static CounterKey written(int writer) {
      return Key.counter("written", "" + writer);
    }

    private static CounterKey account(int number) {
      return Key.counter("account", "" + number);
    }

    /** Moves amounts between accounts whose sum stays 0. */
    private void write(int writer) {
      ThreadLocalRandom random = ThreadLocalRandom.current();
      RegisterKey<String> text = Key.register("text", "" + writer, Codec.string());
      long n = store.read(written(writer));
      while (true) {
        CausalToken token =
            store.update(
                account(random.nextInt(ACCOUNTS)).increment(),
                written(writer).increment(),
                text.assign("x".repeat(VALUE_LENGTH)),
                account(random.nextInt(ACCOUNTS)).decrement(1));
        if (++n % ACKNOWLEDGE_EACH == 0) {
          keep(token);
          StoreStatus status = store.status();
          report(
              "written %d %d %d %d"
                  .formatted(
                      writer,
                      n,
                      status.journal().allocatedBytes() + status.checkpoints().bytes(),
                      status.journal().firstSegment()));
        }
      }
    }

    private synchronized void keep(CausalToken token) {
      tokens.addLast(token);
      if (tokens.size() > 1_000) {
        tokens.removeFirst();
      }
    }

    private synchronized CausalToken anyToken() {
      return tokens.isEmpty() ? store.snapshot().token() : tokens.getFirst();
    }

    private void readPins() {
      while (true) {
        try (Pin pin = store.pin(store.snapshot().token())) {
          for (int i = 0; i < 200; i++) {
            checkSum(pin);
          }
        }
      }
    }

    /** Old snapshots without a pin: whole or refused. */
    private void readTokens() {
      while (true) {
        try {
          checkSum(store.at(anyToken()));
        } catch (SnapshotTruncatedException e) {
          synchronized (this) {
            tokens.pollFirst();
          }
        }
      }
    }

    private static void checkSum(Snapshot snapshot) {
      long sum = 0;
      for (int i = 0; i < ACCOUNTS; i++) {
        sum += snapshot.read(account(i));
      }
      if (sum != 0) {
        report("failed: the accounts have " + sum + " at " + snapshot.token());
      }
    }

    private static void report(String line) {
      synchronized (System.out) {
        System.out.println(line);
      }
    }
  }

  @Test
  void staysSmallAndWholeForSomeSegments() throws Exception {
    soak(40);
  }

  @Test
  @Tag("long")
  void staysSmallAndWholeForManySegments() throws Exception {
    soak(500);
  }

  private void soak(long segments) throws Exception {
    Map<String, Long> acknowledged = new HashMap<>();
    Random random = new Random();
    long dropped = 0;
    while (dropped < segments) {
      Process child = ChildJvm.start(Life.class, directory.toString());
      List<String> lines = ChildJvm.lines(child, WRITERS + 1 + random.nextInt(MAX_LINES));
      child.toHandle().destroyForcibly();
      lines.addAll(ChildJvm.lines(child, Integer.MAX_VALUE));
      assertThat(child.waitFor()).as("killed, not ended: %s", lines).isEqualTo(128 + 9);
      // The signal may have cut the last line short.
      for (String line : lines.subList(0, lines.size() - 1)) {
        dropped = Math.max(dropped, check(line.split(" ", -1), acknowledged));
      }
    }
  }

  /** Checks a line; returns the first segment that it reports, or 0. */
  private static long check(String[] words, Map<String, Long> acknowledged) {
    if (words[0].equals("there")) {
      assertThat(Long.parseLong(words[2]))
          .as("what is there of writer %s", words[1])
          .isGreaterThanOrEqualTo(acknowledged.getOrDefault(words[1], 0L));
      return 0;
    }
    assertThat(words[0]).as(String.join(" ", words)).isEqualTo("written");
    acknowledged.merge(words[1], Long.valueOf(words[2]), Math::max);
    assertThat(Long.parseLong(words[3])).as("bytes on the disk").isLessThan(MAX_BYTES);
    return Long.parseLong(words[4]);
  }
}
