package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.NestedTransactionOpenException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A transaction inside a transaction (vCorfu, section 4.2), which can fail by itself. */
final class NestedTransactionTest {
  private static final CounterKey X = Key.counter("b", "x");
  private static final CounterKey Y = Key.counter("b", "y");
  private static final CounterKey Z = Key.counter("b", "z");
  private static final RegisterKey<Bytes> BLOB = Key.register("b", "blob", Codec.bytes());
  private static final BoundedCounterKey STOCK = Key.boundedCounter("b", "stock");

  @TempDir private Path directory;
  private Store store;

  @BeforeEach
  void open() {
    open(StoreOptions.defaults());
  }

  private void open(StoreOptions options) {
    store = Stablecut.open(directory.resolve("data"), options);
  }

  private void reopen(StoreOptions options) {
    store.close();
    open(options);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void anInnerAbortRollsBackItsUpdatesAndTheOuterCommitKeepsTheOthers() {
    try (Transaction outer = store.begin()) {
      outer.update(X.increment(1));
      try (Transaction inner = outer.begin()) {
        inner.update(X.increment(10), Y.increment(10));
        assertThat(inner.read(X)).isEqualTo(11);
        inner.abort();
      }
      assertThat(outer.read(List.of(X, Y)).get(X)).isEqualTo(1);
      outer.update(Y.increment(5));
      outer.commit();
    }

    assertThat(store.read(X)).isEqualTo(1);
    assertThat(store.read(Y)).isEqualTo(5);
  }

  @Test
  void anInnerCommitIsInvisibleUntilTheOutermostCommits() {
    try (Transaction outer = store.begin()) {
      try (Transaction middle = outer.begin()) {
        try (Transaction inner = middle.begin()) {
          inner.update(X.increment(1));
          assertThat(inner.commit()).isEqualTo(outer.snapshot());
        }
        assertThat(middle.read(X)).isEqualTo(1);
        assertThat(middle.commitAsync().toCompletableFuture())
            .isCompletedWithValue(outer.snapshot());
      }
      assertThat(outer.read(X)).isEqualTo(1);
      assertThat(store.read(X)).isZero();
      outer.commit();
    }

    assertThat(store.read(X)).isEqualTo(1);
  }

  @Test
  void anAbortRollsBackInnerCommits() {
    try (Transaction outer = store.begin()) {
      try (Transaction middle = outer.begin()) {
        try (Transaction inner = middle.begin()) {
          inner.update(X.increment(1));
          inner.commit();
        }
      }
      assertThat(outer.read(X)).isZero();
      assertThat(outer.commit()).isEqualTo(outer.snapshot());
    }
  }

  @Test
  void theInnerOneReadsTheSnapshotOfTheOuterOne() {
    try (Transaction outer = store.begin()) {
      store.update(X.increment(100));
      try (Transaction inner = outer.begin()) {
        assertThat(inner.snapshot()).isEqualTo(outer.snapshot());
        assertThat(inner.read(X)).isZero();
      }
    }
  }

  @Test
  void aRefusedUpdateRollsBackOnlyItsCall() {
    try (Transaction outer = store.begin()) {
      Transaction inner = outer.begin();
      inner.update(X.increment(1));

      assertThatThrownBy(
              () -> inner.update(X.increment(1), Key.addWinsSet("b", "x", Codec.string()).add("e")))
          .isInstanceOf(TypeMismatchException.class);

      assertThat(inner.read(X)).isEqualTo(1);
      inner.close();
      assertThat(outer.read(X)).isZero();
    }
  }

  @Test
  void theOuterOneCanOnlyBeClosedWhileTheInnerOneIsOpen() {
    try (Transaction outer = store.begin()) {
      Transaction middle = outer.begin();
      Transaction inner = middle.begin();
      inner.update(X.increment(1));

      for (Transaction waiting : List.of(outer, middle)) {
        for (ThrowingCallable use :
            List.<ThrowingCallable>of(
                () -> waiting.read(X),
                () -> waiting.read(List.of(X)),
                () -> waiting.update(X.increment()),
                waiting::begin,
                waiting::commit,
                waiting::commitAsync,
                waiting::abort)) {
          assertThatThrownBy(use)
              .isInstanceOf(NestedTransactionOpenException.class)
              .hasMessageContaining(waiting == outer ? "2 nested" : "1 nested");
        }
      }

      inner.commit();
      middle.commit();
      assertThat(outer.read(X)).isEqualTo(1);
    }
  }

  @Test
  void closingAnOuterOneEndsTheInnerOnes() {
    Transaction outer = store.begin();
    Transaction middle = outer.begin();
    Transaction inner = middle.begin();
    inner.update(X.increment(1));

    middle.close();

    assertThatThrownBy(() -> inner.read(X)).isInstanceOf(TransactionEndedException.class);
    assertThat(outer.read(X)).isZero();

    Transaction other = outer.begin();
    outer.close();

    assertThatThrownBy(other::commit).isInstanceOf(TransactionEndedException.class);
    other.close();
    inner.close();
    assertThat(store.status().openTransactions()).isZero();
  }

  @Test
  void refusesAnEndedOne() {
    try (Transaction outer = store.begin()) {
      Transaction inner = outer.begin();
      inner.commit();

      assertThatThrownBy(() -> inner.update(X.increment()))
          .isInstanceOf(TransactionEndedException.class);
      assertThatThrownBy(inner::abort).isInstanceOf(TransactionEndedException.class);
    }
  }

  @Test
  void anInnerOneExpiresWithTheOutermost() {
    reopen(StoreOptions.defaults().withMaxTransactionAge(Duration.ofMillis(1)));
    Optional<Transaction> begun = Optional.empty();
    while (begun.isEmpty()) {
      Transaction outer = store.begin();
      long since = System.nanoTime();
      begun = within(outer);
      begun.ifPresent(
          inner -> {
            while (System.nanoTime() - since < Duration.ofMillis(2).toNanos()) {
              Thread.onSpinWait();
            }

            assertThatThrownBy(() -> inner.read(X)).isInstanceOf(TransactionExpiredException.class);
            assertThatThrownBy(outer::begin).isInstanceOf(TransactionExpiredException.class);
          });
      outer.close();
    }
  }

  /** Begins an inner one; empty if the outer one has expired on a busy machine. */
  private static Optional<Transaction> within(Transaction outer) {
    try {
      return Optional.of(outer.begin());
    } catch (TransactionExpiredException e) {
      return Optional.empty();
    }
  }

  @Test
  void theDepthIsLimited() {
    reopen(StoreOptions.defaults().withLimits(StoreOptions.Limits.defaults().withNestingDepth(2)));
    try (Transaction outer = store.begin()) {
      Transaction innermost = outer.begin().begin();

      assertThatThrownBy(innermost::begin)
          .isInstanceOf(LimitExceededException.class)
          .hasMessageContaining("2 nested transactions")
          .hasMessageContaining("nestingDepth");

      innermost.update(X.increment(1));
      innermost.commit();
    }
    assertThatThrownBy(() -> StoreOptions.Limits.defaults().withNestingDepth(-1))
        .hasMessageContaining("nesting -1");
  }

  @Test
  void rolledBackUpdatesDoNotCountTowardsTheSize() {
    reopen(
        StoreOptions.defaults()
            .withLimits(
                StoreOptions.Limits.defaults().withValueBytes(1000).withTransactionBytes(1000)));
    Bytes large = Bytes.wrap(new byte[700]);

    try (Transaction outer = store.begin()) {
      for (int i = 0; i < 5; i++) {
        try (Transaction inner = outer.begin()) {
          inner.update(BLOB.assign(large));
        }
      }
      outer.update(BLOB.assign(large));
      outer.commit();
    }

    assertThat(store.read(BLOB)).contains(large);
  }

  @Test
  void certifiesReadsButNotRolledBackUpdates() {
    try (Transaction writes = begin(Certification.WRITES);
        Transaction reads = begin(Certification.READS_WRITES)) {
      for (Transaction outer : List.of(writes, reads)) {
        try (Transaction inner = outer.begin()) {
          inner.update(X.increment(1));
          assertThat(inner.read(X)).isEqualTo(1);
        }
        outer.update((outer == writes ? Y : Z).increment(1));
      }
      store.update(X.increment(1));

      writes.commit();
      assertThatThrownBy(reads::commit).isInstanceOf(ConflictException.class);
    }
  }

  @Test
  void doesNotCertifyARolledBackBoundedCounter() {
    store.update(STOCK.increment(2));
    try (Transaction outer = store.begin()) {
      try (Transaction inner = outer.begin()) {
        inner.update(STOCK.decrement(1));
      }
      store.update(STOCK.decrement(1));
      outer.update(X.increment(1));
      outer.commit();
    }

    assertThat(store.read(STOCK)).isEqualTo(1);
  }

  private Transaction begin(Certification certification) {
    return store.begin(TransactionOptions.defaults().certify(certification));
  }

  /** Scenario 52: no transaction ever sees a half, nor does one that will fail. */
  @Test
  void everyTransactionSeesTheInvariantEvenADoomedOne() {
    List<CompletableFuture<Integer>> movers = new ArrayList<>();
    for (int mover = 1; mover <= 3; mover++) {
      int amount = mover;
      movers.add(CompletableFuture.supplyAsync(() -> move(amount)));
    }
    int conflicts = 0;
    for (CompletableFuture<Integer> mover : movers) {
      conflicts += mover.join();
    }

    assertThat(store.read(List.of(X, Y)).get(X)).isEqualTo(-store.read(Y));
    assertThat(conflicts).isLessThan(3 * 200);
  }

  /** Moves from one counter to the other; returns how often a concurrent transaction won. */
  private int move(int amount) {
    int conflicts = 0;
    for (int i = 0; i < 200; i++) {
      try (Transaction outer = begin(Certification.READS_WRITES)) {
        assertThat(outer.read(X) + outer.read(Y)).isZero();
        try (Transaction inner = outer.begin()) {
          inner.update(X.increment(amount));
          if (i % 3 == 0) {
            inner.abort();
          } else {
            inner.update(Y.decrement(amount));
            inner.commit();
          }
        }
        assertThat(outer.read(X) + outer.read(Y)).isZero();
        outer.commit();
      } catch (ConflictException e) {
        conflicts++;
      }
    }
    return conflicts;
  }
}
