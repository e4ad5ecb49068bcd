package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.PartitionCountException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store of several partitions keeps every guarantee of a store of one. */
class PartitionsTest {
  private static final int PARTITIONS = 4;
  private static final int ACCOUNTS = 24;

  @TempDir Path directory;

  private Store open() {
    return Stablecut.open(directory, options());
  }

  private static StoreOptions options() {
    return StoreOptions.defaults().withPartitions(PARTITIONS);
  }

  private static CounterKey account(int number) {
    return Key.counter("account", "" + number);
  }

  private static Update[] transfer(int from, int to, long amount) {
    return new Update[] {account(from).decrement(amount), account(to).increment(amount)};
  }

  @Test
  void aTransactionOverManyPartitionsStaysWholeAcrossReopening() {
    Update[] updates =
        IntStream.range(0, ACCOUNTS).mapToObj(i -> account(i).increment(i)).toArray(Update[]::new);
    CausalToken token;
    try (Store store = open()) {
      assertThat(store.status().partitions()).isEqualTo(PARTITIONS);
      token = store.update(updates);
      checkAll(store);
      assertThat(store.status().journal().segments()).isEqualTo(PARTITIONS);
    }
    try (Store store = open()) {
      checkAll(store);
      assertThat(store.at(token).read(account(3))).isEqualTo(3);
      store.checkpoint();
      checkAll(store);
    }
    try (Store store = Stablecut.open(directory)) {
      checkAll(store);
      try (Scan scan = store.snapshot().scan()) {
        List<String> keys = new ArrayList<>();
        scan.forEachRemaining(object -> keys.add(object.key().toUtf8()));
        assertThat(keys).hasSize(ACCOUNTS - 1).isSorted();
      }
    }
  }

  private static void checkAll(Store store) {
    for (int i = 0; i < ACCOUNTS; i++) {
      assertThat(store.read(account(i))).isEqualTo(i);
    }
  }

  @Test
  void readersSeeWholeTransactionsAndTheirOwnWrites() throws Exception {
    try (Store store = open()) {
      AtomicBoolean isOver = new AtomicBoolean();
      ExecutorService threads = Executors.newCachedThreadPool();
      List<Future<?>> readers = new ArrayList<>();
      for (int reader = 0; reader < 2; reader++) {
        readers.add(threads.submit(() -> checkSums(store, isOver)));
      }
      List<Future<?>> writers = new ArrayList<>();
      for (int writer = 0; writer < 4; writer++) {
        CounterKey own = Key.counter("written", "" + writer);
        writers.add(threads.submit(() -> transferAndRead(store, own)));
      }
      await(writers);
      isOver.set(true);
      await(readers);
      threads.shutdown();
      checkSum(store.snapshot());
    }
    try (Store store = open()) {
      checkSum(store.snapshot());
    }
  }

  private static void await(List<Future<?>> futures)
      throws InterruptedException, ExecutionException {
    for (Future<?> future : futures) {
      future.get();
    }
  }

  private static void transferAndRead(Store store, CounterKey own) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int i = 1; i <= 300; i++) {
      Update[] transfer = transfer(random.nextInt(ACCOUNTS), random.nextInt(ACCOUNTS), 1);
      store.update(transfer[0], transfer[1], own.increment());
      assertThat(store.read(own)).isEqualTo(i);
      try (Transaction transaction = store.begin()) {
        assertThat(transaction.read(own)).isEqualTo(i);
      }
    }
  }

  private static void checkSums(Store store, AtomicBoolean isOver) {
    while (!isOver.get()) {
      checkSum(store.snapshot());
      try (Transaction transaction = store.begin()) {
        checkSum(transaction);
      }
    }
  }

  private static void checkSum(Reader reader) {
    List<Long> first = new ArrayList<>();
    List<Long> second = new ArrayList<>();
    for (int i = 0; i < ACCOUNTS; i++) {
      first.add(reader.read(account(i)));
    }
    for (int i = 0; i < ACCOUNTS; i++) {
      second.add(reader.read(account(i)));
    }
    assertThat(first.stream().mapToLong(Long::longValue).sum()).isZero();
    assertThat(second).isEqualTo(first);
  }

  @Test
  void keysWithTheSamePartInBracesAreOnOnePartition() {
    try (Store store = open()) {
      store.update(Key.counter("b", "a first commit").increment());
      long before = store.status().journal().records();
      Update[] updates =
          IntStream.range(0, ACCOUNTS)
              .mapToObj(i -> Key.counter("b", i + "{user}").increment())
              .toArray(Update[]::new);
      store.update(updates);
      assertThat(store.status().journal().records() - before).isEqualTo(1);
    }
  }

  @Test
  void refusesAnotherNumberOfPartitions() {
    open().close();
    assertThatThrownBy(() -> Stablecut.open(directory, options().withPartitions(2)))
        .isInstanceOf(PartitionCountException.class)
        .hasMessageContainingAll("4 partitions", "with 2");
  }

  @Test
  void namesAMissingPartition() throws IOException {
    try (Store store = open()) {
      store.update(transfer(1, 2, 3));
    }
    Files.move(directory.resolve("p2"), directory.resolve("p2.away"));
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("partition 2 of 4 is missing");
    Files.move(directory.resolve("p2.away"), directory.resolve("p2"));
    Files.move(directory.resolve("p1"), directory.resolve("p1.away"));
    Files.move(directory.resolve("p2"), directory.resolve("p1"));
    Files.move(directory.resolve("p1.away"), directory.resolve("p2"));
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("is partition 2 of the store: restore partition 1 there");
  }

  @Test
  void namesAnOlderPartition() throws IOException {
    open().close();
    Path kept = directory.resolve("p3").resolve("PARTITION");
    byte[] old = Files.readAllBytes(kept);
    open().close();
    Files.write(kept, old);
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining(
            "partition 3 is older than the others: it was opened 1 times, the store 2");
  }

  @Test
  void serializableTransactionsSeeReadsOfOthersOnOtherPartitions() throws Exception {
    try (Store store = open()) {
      ExecutorService threads = Executors.newFixedThreadPool(4);
      List<Future<?>> doctors = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        Doctors pair = new Doctors(i);
        store.update(pair.first().increment(), pair.second().increment());
        for (CounterKey mine : List.of(pair.first(), pair.second())) {
          doctors.add(threads.submit(() -> goOffCall(store, pair, mine)));
        }
      }
      await(doctors);
      threads.shutdown();
      for (int i = 0; i < 200; i++) {
        Doctors pair = new Doctors(i);
        assertThat(store.read(pair.first()) + store.read(pair.second())).isPositive();
      }
    }
  }

  /** Two doctors, and one has to stay: the anomaly called write skew. */
  private record Doctors(int number) {
    CounterKey first() {
      return Key.counter("first", "" + number);
    }

    CounterKey second() {
      return Key.counter("second", "" + number);
    }
  }

  private static void goOffCall(Store store, Doctors pair, CounterKey mine) {
    TransactionOptions serialisable =
        TransactionOptions.defaults().certify(Certification.READS_WRITES);
    while (true) {
      try (Transaction transaction = store.begin(serialisable)) {
        if (transaction.read(pair.first()) + transaction.read(pair.second()) > 1) {
          transaction.update(mine.decrement(1));
        }
        transaction.commit();
        return;
      } catch (ConflictException e) {
        // The other transaction won: check again.
      }
    }
  }
}
