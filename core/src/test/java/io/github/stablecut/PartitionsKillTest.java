package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.error.ConflictException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A JVM that transfers between accounts on several partitions is killed, again and again: the sum
 * stays, no reader sees half a transfer, and acknowledged transfers exist.
 */
class PartitionsKillTest {
  private static final int WRITERS = 4;
  private static final int PARTITIONS = 3;
  private static final int MAX_LINES = 1_500;

  private static final Pattern WRITTEN = Pattern.compile("written (\\d+) (\\d+)");

  @TempDir private Path directory;

  /** How transfers conflict. */
  enum Manner {
    MANY_ACCOUNTS(24, Certification.NONE),
    HOT_ACCOUNTS(3, Certification.NONE),
    CERTIFIED(12, Certification.WRITES);

    private final int accounts;
    private final Certification certification;

    Manner(int accounts, Certification certification) {
      this.accounts = accounts;
      this.certification = certification;
    }
  }

  /** The store's process: reports acknowledged transfers until it is killed. */
  static final class Life {
    private final Store store;
    private final Manner manner;

    private Life(Store store, Manner manner) {
      this.store = store;
      this.manner = manner;
    }

    public static void main(String[] args) throws InterruptedException {
      try (Store store = open(Path.of(args[0]))) {
        new Life(store, Manner.valueOf(args[1])).run();
      }
    }

    private void run() throws InterruptedException {
      List<Thread> threads = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        CounterKey own = written(writer);
        int number = writer;
        threads.add(new Thread(() -> transfer(number, own)));
      }
      threads.add(new Thread(this::checkSums));
      for (Thread thread : threads) {
        thread.setUncaughtExceptionHandler((failed, e) -> report("failed " + e));
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }

    private void transfer(int writer, CounterKey own) {
      ThreadLocalRandom random = ThreadLocalRandom.current();
      TransactionOptions options = TransactionOptions.defaults().certify(manner.certification);
      for (long n = store.read(own) + 1; ; n++) {
        while (!tryTransfer(random, own, options)) {
          // A concurrent transfer won.
          Thread.onSpinWait();
        }
        report("written " + writer + " " + n);
      }
    }

    private boolean tryTransfer(
        ThreadLocalRandom random, CounterKey own, TransactionOptions options) {
      try (Transaction transaction = store.begin(options)) {
        transaction.update(
            account(random.nextInt(manner.accounts)).increment(7),
            account(random.nextInt(manner.accounts)).decrement(7),
            own.increment());
        transaction.commit();
        return true;
      } catch (ConflictException e) {
        return false;
      }
    }

    private void checkSums() {
      while (true) {
        long sum = sum(store.snapshot(), manner);
        if (sum != 0) {
          report("failed: the accounts have " + sum);
        }
      }
    }

    private static void report(String line) {
      synchronized (System.out) {
        System.out.println(line);
      }
    }
  }

  private static Store open(Path directory) {
    return Stablecut.open(directory, StoreOptions.defaults().withPartitions(PARTITIONS));
  }

  private static CounterKey account(int number) {
    return Key.counter("account", "" + number);
  }

  private static CounterKey written(int writer) {
    return Key.counter("written", "" + writer);
  }

  private static long sum(Snapshot snapshot, Manner manner) {
    long sum = 0;
    for (int i = 0; i < manner.accounts; i++) {
      sum += snapshot.read(account(i));
    }
    return sum;
  }

  @ParameterizedTest
  @EnumSource
  void keepsTransfersWholeThroughSomeKills(Manner manner) throws Exception {
    killAndCheck(3, manner);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("long")
  void keepsTransfersWholeThroughManyKills(Manner manner) throws Exception {
    killAndCheck(60, manner);
  }

  private void killAndCheck(int rounds, Manner manner) throws Exception {
    Map<Integer, Long> acknowledged = new HashMap<>();
    Random random = new Random();
    for (int round = 1; round <= rounds; round++) {
      Process child = ChildJvm.start(Life.class, directory.toString(), manner.name());
      List<String> lines = ChildJvm.lines(child, 1 + random.nextInt(MAX_LINES));
      child.toHandle().destroyForcibly();
      lines.addAll(ChildJvm.lines(child, Integer.MAX_VALUE));
      assertThat(child.waitFor()).as("killed, not ended: %s", lines).isEqualTo(128 + 9);
      for (String line : lines) {
        Matcher written = WRITTEN.matcher(line);
        if (written.matches()) {
          // If the signal has cut the line short, the number is smaller than a reported one.
          acknowledged.merge(
              Integer.valueOf(written.group(1)), Long.valueOf(written.group(2)), Math::max);
        } else {
          assertThat(written.hitEnd()).as("the beginning of a line: %s", line).isTrue();
        }
      }
      check(acknowledged, manner);
    }
  }

  private void check(Map<Integer, Long> acknowledged, Manner manner) {
    try (Store store = open(directory)) {
      assertThat(sum(store.snapshot(), manner)).isZero();
      for (int writer = 0; writer < WRITERS; writer++) {
        long told = acknowledged.getOrDefault(writer, 0L);
        long there = store.read(written(writer));
        assertThat(there).as("writer %d, told %d", writer, told).isBetween(told, told + 1);
        acknowledged.put(writer, there);
      }
      assertThat(sum(store.snapshot(), manner)).isZero();
    }
  }
}
