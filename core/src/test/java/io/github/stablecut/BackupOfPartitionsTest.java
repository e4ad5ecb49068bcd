package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup of a store of several partitions is one snapshot of all of them. */
final class BackupOfPartitionsTest {
  private static final int PARTITIONS = 3;
  private static final int ACCOUNTS = 20;
  private static final int WRITERS = 8;
  private static final int BACKUPS = 8;

  @TempDir private Path temporary;

  private Path path(String name) {
    return temporary.resolve(name);
  }

  /**
   * Makes each partition checkpoint and truncate all the time, independently of the others; the
   * decisions of one partition stay non-durable on the others for a while.
   */
  private static StoreOptions options() {
    return StoreOptions.defaults()
        .withPartitions(PARTITIONS)
        .withDurability(Durability.group(Duration.ofMillis(20)))
        .withCheckpoints(CheckpointPolicy.defaults().withEffects(100).withRetention(Duration.ZERO));
  }

  private static CounterKey account(int number) {
    return Key.counter("account", "" + number);
  }

  private static CounterKey written(int writer) {
    return Key.counter("written", "" + writer);
  }

  private static void transfer(
      Store store, int writer, AtomicLongArray acknowledged, AtomicBoolean isOver) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    while (!isOver.get()) {
      store.update(
          account(random.nextInt(ACCOUNTS)).increment(7),
          account(random.nextInt(ACCOUNTS)).decrement(7),
          written(writer).increment());
      acknowledged.set(writer, acknowledged.get(writer) + 1);
    }
  }

  private static void checkSum(Store store) {
    long sum = 0;
    for (int i = 0; i < ACCOUNTS; i++) {
      sum += store.read(account(i));
    }
    assertThat(sum).isZero();
  }

  @Test
  void eachBackupHasWholeTransfersAndAllAcknowledgedOnes() throws Exception {
    AtomicLongArray acknowledged = new AtomicLongArray(WRITERS);
    List<long[]> told = new ArrayList<>();
    try (Store store = Stablecut.open(path("data"), options())) {
      AtomicBoolean isOver = new AtomicBoolean();
      ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        writers.add(threads.submit(() -> transfer(store, writer, acknowledged, isOver)));
      }
      for (int i = 0; i < BACKUPS; i++) {
        told.add(IntStream.range(0, WRITERS).mapToLong(acknowledged::get).toArray());
        store.backup(path("backup" + i));
      }
      isOver.set(true);
      for (Future<?> writer : writers) {
        writer.get();
      }
      threads.shutdown();
      checkSum(store);
    }
    assertThat(acknowledged.get(0)).isPositive();

    for (int i = 0; i < BACKUPS; i++) {
      Stablecut.restore(path("backup" + i), path("restored" + i), BackupProgress.NONE);
      try (Store store = Stablecut.open(path("restored" + i))) {
        assertThat(store.status().partitions()).isEqualTo(PARTITIONS);
        checkSum(store);
        for (int writer = 0; writer < WRITERS; writer++) {
          assertThat(store.read(written(writer)))
              .isBetween(told.get(i)[writer], acknowledged.get(writer));
        }
      }
    }
  }

  @Test
  void restoredStoreContinues() {
    try (Store store = Stablecut.open(path("data"), options())) {
      store.update(account(1).increment(7), account(2).decrement(7), account(3).increment());
      store.backup(path("backup"));
      store.update(account(3).increment(100));
    }
    Stablecut.restore(path("backup"), path("restored"), BackupProgress.NONE);

    for (int opening = 1; opening <= 3; opening++) {
      try (Store store = Stablecut.open(path("restored"), options())) {
        assertThat(store.read(account(1))).isEqualTo(7);
        assertThat(store.read(account(3))).isEqualTo(opening);
        CausalToken token =
            store.update(account(3).increment(), account(4).increment(), account(5).increment());
        assertThat(store.at(token).read(account(5))).isEqualTo(opening);
        store.checkpoint();
      }
    }
  }

  /**
   * Otherwise a replica of a partition would start with the restored records and lack the
   * checkpoints.
   */
  @Test
  void restoredJournalReportsThatItsStartIsMissing() throws IOException {
    try (Store store = Stablecut.open(path("data"), options())) {
      store.update(account(1).increment(7));
      store.backup(path("backup"));
    }
    Stablecut.restore(path("backup"), path("restored"), BackupProgress.NONE);

    JournalOptions options = JournalOptions.named("restored");
    for (int partition = 0; partition < PARTITIONS; partition++) {
      Path directory = path("restored").resolve("p" + partition + "/journal");
      try (Journal journal =
          Journal.open(
              JournalDirectory.open(directory, options),
              options,
              GroupListener.NOBODY,
              stored -> {})) {
        assertThat(journal.firstRecord()).isGreaterThan(1);
      }
    }
  }

  /** An object stays on the partition that the very first store assigned. */
  @Test
  void restoredStoreCanBeBackedUp() {
    try (Store store = Stablecut.open(path("data"), options())) {
      for (int i = 0; i < ACCOUNTS; i++) {
        store.update(account(i).increment(i));
      }
      store.backup(path("backup"));
    }
    Stablecut.restore(path("backup"), path("restored"), BackupProgress.NONE);
    try (Store store = Stablecut.open(path("restored"))) {
      store.update(account(1).increment(), account(2).increment(), account(3).increment());
      store.backup(path("second"));
    }
    Stablecut.restore(path("second"), path("again"), BackupProgress.NONE);

    try (Store store = Stablecut.open(path("again"))) {
      for (int i = 0; i < ACCOUNTS; i++) {
        assertThat(store.read(account(i))).isEqualTo(i >= 1 && i <= 3 ? i + 1 : i);
      }
    }
  }

  @Test
  void namesADamagedFileOfAnyPartitionAndCreatesNoStore() throws IOException {
    try (Store store = Stablecut.open(path("data"), options())) {
      store.update(account(1).increment(), account(2).increment(), account(3).increment());
      store.backup(path("backup"));
    }
    for (int partition = 0; partition < PARTITIONS; partition++) {
      Path file = path("backup").resolve("p" + partition).resolve("CURRENT");
      byte[] good = Files.readAllBytes(file);
      byte[] bad = good.clone();
      bad[bad.length / 2] ^= 1;
      Files.write(file, bad);

      assertThatThrownBy(
              () -> Stablecut.restore(path("backup"), path("restored"), BackupProgress.NONE))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining(file.toString());

      assertThat(path("restored")).doesNotExist();
      Files.write(file, good);
    }
  }
}
