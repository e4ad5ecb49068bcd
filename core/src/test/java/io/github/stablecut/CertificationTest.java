package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.Timeouts;
import io.github.stablecut.option.TransactionOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certification refuses the second of two conflicting commits. */
class CertificationTest {
  private static final CounterKey X = Key.counter("b", "x");
  private static final CounterKey Y = Key.counter("b", "y");
  private static final BoundedCounterKey STOCK = Key.boundedCounter("b", "stock");
  private static final AddWinsSetKey<String> TAGS = Key.addWinsSet("b", "tags", Codec.string());
  private static final int THREADS = 8;
  private static final int COUNTS = 25;
  private static final int TRIES = 200;

  @TempDir Path directory;
  private Store store;

  @BeforeEach
  void open() {
    store = reopen(IndexOptions.defaults());
  }

  private Store reopen(IndexOptions index) {
    return Stablecut.open(
        directory.resolve("data"),
        StoreOptions.defaults()
            .withIndex(index)
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ofHours(1))));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Transaction begin(Certification certification) {
    return store.begin(TransactionOptions.defaults().certify(certification));
  }

  @Test
  void repeatsACertifiedFunctionUntilItCommits() {
    TransactionOptions certified =
        TransactionOptions.defaults().certify(Certification.READ_THEN_UPDATED);
    AtomicInteger runs = new AtomicInteger();

    long seen =
        store.transact(
            certified,
            tx -> {
              long found = tx.read(X);
              if (runs.incrementAndGet() <= 3) {
                store.update(X.increment());
              }
              tx.update(X.increment(10 * found));
              return found;
            });

    assertThat(runs).hasValue(4);
    assertThat(seen).isEqualTo(3);
    assertThat(store.read(X)).isEqualTo(33);
  }

  @Test
  void endsACertifiedFunctionThatNeverCommitsAndRunsOneThatThrowsOnce() {
    TransactionOptions certified =
        TransactionOptions.defaults().certify(Certification.READ_THEN_UPDATED);
    AtomicInteger runs = new AtomicInteger();

    assertThatThrownBy(
            () ->
                store.transact(
                    certified,
                    tx -> {
                      runs.incrementAndGet();
                      throw new IllegalStateException("its own");
                    }))
        .hasMessage("its own");
    assertThat(runs).hasValue(1);
    assertThatThrownBy(
            () ->
                store.transact(
                    certified,
                    tx -> {
                      throw new ConflictException("its own, " + runs.incrementAndGet());
                    }))
        .isInstanceOf(ConflictException.class)
        .hasMessage("its own, 2");
    assertThatThrownBy(
            () ->
                store.transact(
                    certified,
                    tx -> {
                      tx.update(X.increment(10 * tx.read(X)));
                      store.update(X.increment());
                      return runs.incrementAndGet();
                    }))
        .isInstanceOf(ConflictException.class);
    assertThat(runs).hasValue(1002);
  }

  @Test
  void withoutCertificationBothCommit() {
    try (Transaction first = begin(Certification.NONE);
        Transaction second = begin(Certification.NONE)) {
      first.update(X.increment());
      second.update(X.increment());
      first.commit();
      second.commit();
    }

    assertThat(store.read(X)).isEqualTo(2);
  }

  @Test
  void ofTwoWritersOfAnObjectTheFirstToCommitWins() {
    try (Transaction first = begin(Certification.WRITES);
        Transaction second = begin(Certification.WRITES)) {
      first.update(X.increment());
      second.update(X.increment(), Y.increment());
      first.commit();

      assertThatThrownBy(second::commit)
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining("was changed after the transaction's snapshot")
          .hasMessageContaining("run the transaction again");
    }

    assertThat(store.read(X)).isEqualTo(1);
    assertThat(store.read(Y)).isZero();
  }

  @Test
  void certifiesExactlyTheObjectsThatWereReadAndThenUpdated() {
    for (Update blind : List.of(X.increment(), Y.increment())) {
      try (Transaction transaction = begin(Certification.READ_THEN_UPDATED)) {
        transaction.update(X.increment());
        long seen = transaction.read(X) + transaction.read(Y);
        store.update(X.increment(), Y.increment());

        assertThat(seen).isPositive();
        transaction.commit();
      }
      try (Transaction transaction = begin(Certification.READ_THEN_UPDATED)) {
        long seen = transaction.read(blind.key().equals(X) ? X : Y);
        transaction.update(blind);
        store.update(blind);

        assertThat(seen).isPositive();
        assertThatThrownBy(transaction::commit).isInstanceOf(ConflictException.class);
      }
    }
  }

  @Test
  void aReadPartCountsAfterAnUpdateOfTheObject() {
    for (String added : List.of("a", "b", "c")) {
      try (Transaction transaction = begin(Certification.READ_THEN_UPDATED)) {
        assertThat(transaction.read(TAGS.contains("c"))).isFalse();
        transaction.update(TAGS.add("x"));
        store.update(TAGS.add(added));

        if (added.equals("c")) {
          assertThatThrownBy(transaction::commit).isInstanceOf(ConflictException.class);
        } else {
          transaction.commit();
        }
      }
    }
  }

  @Test
  void certifiesObjectsThatWereScannedAndThenUpdated() {
    store.update(X.increment());
    for (CounterKey updated : List.of(X, Y)) {
      try (Transaction transaction = begin(Certification.READ_THEN_UPDATED)) {
        try (Scan scan = transaction.scan(ScanOptions.bucket("b").limit(1))) {
          assertThat(scan.next().key()).isEqualTo(Bytes.utf8("x"));
        }
        transaction.update(updated.increment());
        store.update(X.increment(), Y.increment());

        if (updated.equals(X)) {
          assertThatThrownBy(transaction::commit).isInstanceOf(ConflictException.class);
        } else {
          transaction.commit();
        }
      }
    }
  }

  @Test
  void aRolledBackUpdateCertifiesNothing() {
    try (Transaction transaction = begin(Certification.READ_THEN_UPDATED)) {
      assertThat(transaction.read(X)).isZero();
      try (Transaction nested = transaction.begin()) {
        nested.update(X.increment());
      }
      transaction.update(Y.increment());
      store.update(X.increment());

      transaction.commit();
    }
  }

  @Test
  void losesNoIncrementOfARegisterThatWasRead() throws Exception {
    RegisterKey<Long> register = Key.register("b", "register", Codec.int64());
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(new Thread(() -> count(register)));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(store.read(register)).contains((long) THREADS * COUNTS);
  }

  private void count(RegisterKey<Long> register) {
    for (int done = 0; done < COUNTS; ) {
      try (Transaction transaction = begin(Certification.READ_THEN_UPDATED)) {
        transaction.update(register.assign(transaction.read(register).orElse(0L) + 1));
        transaction.commit();
        done++;
      } catch (ConflictException e) {
        assertThat(e).isNotNull();
      }
    }
  }

  @Test
  void anUncertifiedTransactionCountsForACertifiedOne() {
    try (Transaction certified = begin(Certification.WRITES)) {
      certified.update(X.increment());
      store.update(X.increment());

      assertThatThrownBy(certified::commit).isInstanceOf(ConflictException.class);
    }
  }

  /**
   * Each transaction reads what the other writes: snapshot isolation permits that, serializability
   * does not.
   */
  @Test
  void refusesWriteSkewIfReadsAreCertified() {
    for (Certification certification : Certification.values()) {
      try (Transaction first = begin(certification);
          Transaction second = begin(certification)) {
        first.update(X.increment(first.read(Y) + 1));
        second.update(Y.increment(second.read(X) + 1));
        first.commit();
        if (certification == Certification.READS_WRITES) {
          assertThatThrownBy(second::commit).isInstanceOf(ConflictException.class);
        } else {
          second.commit();
        }
      }
    }
  }

  /**
   * Each transaction reads one stream and appends to another one on another partition. Appends are
   * not certified, and must not wait for a transaction that itself waits.
   */
  @Test
  void transactionsThatCertifyOneOfTheirPartitionsDoNotWaitForEachOther() throws Exception {
    store.close();
    store =
        Stablecut.open(
            directory.resolve("partitions"),
            StoreOptions.defaults()
                .withPartitions(2)
                .withTimeouts(Timeouts.defaults().withCommit(Duration.ofSeconds(60))));
    List<StreamKey<Long>> streams = streamsOfTwoPartitions();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<?>> ends = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      StreamKey<Long> read = streams.get(i % 2);
      StreamKey<Long> appended = streams.get(1 - i % 2);
      ends.add(threads.submit(() -> appendAfterReading(read, appended)));
    }
    threads.shutdown();
    for (Future<?> end : ends) {
      end.get(30, TimeUnit.SECONDS);
    }

    long entries = store.read(streams.get(0).tail()) + store.read(streams.get(1).tail());
    assertThat(entries).isEqualTo(THREADS * COUNTS);
  }

  private List<StreamKey<Long>> streamsOfTwoPartitions() {
    Map<Integer, StreamKey<Long>> found = new TreeMap<>();
    for (int i = 0; found.size() < 2; i++) {
      StreamKey<Long> key = Key.stream("b", "stream" + i, Codec.int64());
      found.putIfAbsent(store.partitionOf(key), key);
    }
    return List.copyOf(found.values());
  }

  private void appendAfterReading(StreamKey<Long> read, StreamKey<Long> appended) {
    TransactionOptions certified =
        TransactionOptions.defaults().certify(Certification.READS_WRITES);
    for (int i = 0; i < COUNTS; i++) {
      store.transact(
          certified,
          tx -> {
            tx.update(appended.append(tx.read(read.tail())));
            return true;
          });
    }
  }

  @Test
  void doesNotCertifyReadOnlyTransactions() {
    try (Transaction reader = begin(Certification.READS_WRITES)) {
      assertThat(reader.read(X)).isZero();
      store.update(X.increment());

      assertThat(reader.commit()).isEqualTo(reader.snapshot());
    }
  }

  @Test
  void certifiesAcrossCheckpointsAndWithoutAnIndex() {
    for (IndexOptions index : List.of(IndexOptions.off(), IndexOptions.defaults())) {
      store.close();
      store = reopen(index);
      try (Transaction untouched = begin(Certification.WRITES);
          Transaction conflicting = begin(Certification.WRITES)) {
        untouched.update(Y.increment());
        conflicting.update(X.increment());
        store.update(X.increment());
        store.checkpoint();
        untouched.commit();
        store.update(X.increment());
        store.checkpoint();
        store.checkpoint();

        assertThatThrownBy(conflicting::commit).isInstanceOf(ConflictException.class);
      }
    }
  }

  @Test
  void aBoundedCounterStaysAboveZeroWithoutRequestedCertification() throws Exception {
    store.update(STOCK.increment(THREADS * TRIES / 2));
    AtomicInteger successes = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(new Thread(() -> take(successes)));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(store.read(STOCK)).isEqualTo(THREADS * TRIES / 2 - successes.get());
    assertThat(successes).hasValueLessThanOrEqualTo(THREADS * TRIES / 2);
  }

  private void take(AtomicInteger successes) {
    for (int i = 0; i < TRIES; i++) {
      try {
        store.update(STOCK.decrement(1));
        successes.incrementAndGet();
      } catch (OperationRefusedException | ConflictException e) {
        assertThat(e).isNotNull();
      }
    }
  }

  @Test
  void refusesOneOfTwoThatTakeTheLastRight() {
    store.update(STOCK.increment(1));
    try (Transaction first = store.begin();
        Transaction second = store.begin()) {
      first.update(STOCK.decrement(1));
      second.update(STOCK.decrement(1));
      first.commit();

      assertThatThrownBy(second::commit).isInstanceOf(ConflictException.class);
    }

    assertThat(store.read(STOCK)).isZero();
    assertThatThrownBy(() -> store.update(STOCK.decrement(1)))
        .isInstanceOf(OperationRefusedException.class)
        .hasMessageContaining("rights");
  }
}
