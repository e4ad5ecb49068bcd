package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.EnableWinsFlag;
import io.github.stablecut.crdt.register.MvRegister;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.TransactionOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The contract of transactions, for every kind of store. */
abstract class StoreContract {
  private static final AtomicInteger TESTS = new AtomicInteger();

  /** A bucket for each test, as several tests may use the same store. */
  final String bucket = "posts-" + TESTS.incrementAndGet();

  final CounterKey likes = Key.counter(bucket, "42/likes");
  final AddWinsSetKey<String> tags = Key.addWinsSet(bucket, "42/tags", Codec.string());
  final RegisterKey<String> title = Key.register(bucket, "42/title", Codec.string());

  /** The store; the same for each call of one test. */
  abstract Store store();

  @Test
  void unwrittenObjectsHaveTheInitialValueOfTheirType() {
    Values values = store().read(List.of(likes, tags, title));

    assertThat(values.get(likes)).isZero();
    assertThat(values.get(tags)).isEmpty();
    assertThat(values.get(title)).isEmpty();
    assertThat(values.queries()).containsExactlyInAnyOrder(likes, tags, title);
  }

  @Test
  void theNextReadSeesAnUpdate() {
    store().update(likes.increment(2), tags.add("crdt"), title.assign("Sets"));
    store().update(likes.decrement(5), tags.addAll(List.of("jvm", "db")), tags.remove("crdt"));

    assertThat(store().read(likes)).isEqualTo(-3);
    assertThat(store().read(tags)).containsExactly("db", "jvm");
    assertThat(store().read(title)).contains("Sets");
  }

  @Test
  void queriesAPartOfAnObject() {
    store().update(likes.increment(2), tags.addAll(List.of("a", "b", "c")));

    assertThat(store().read(tags.contains("b"))).isTrue();
    assertThat(store().read(tags.pageAfter("a", 1))).containsExactly("b");
    Values values = store().read(List.of(tags.size(), likes, tags.contains("d")));
    assertThat(values.get(tags.size())).isEqualTo(3);
    assertThat(values.get(likes)).isEqualTo(2);
    assertThat(values.get(tags.contains("d"))).isFalse();
    try (Transaction transaction = store().begin()) {
      transaction.update(tags.add("d"));
      assertThat(transaction.read(tags.contains("d"))).isTrue();
    }
  }

  @Test
  void aTransactionReadsItsSnapshotAndItsOwnWritesAtEveryStep() {
    store().update(likes.increment(1), tags.add("old"));
    try (Transaction transaction = store().begin()) {
      CausalToken snapshot = transaction.snapshot();
      store().update(likes.increment(100), tags.add("concurrent"));

      assertThat(transaction.read(likes)).isEqualTo(1);
      transaction.update(likes.increment(1));
      assertThat(transaction.read(likes)).isEqualTo(2);
      transaction.update(tags.add("own"), tags.remove("old"));
      Values values = transaction.read(List.of(tags, likes));
      assertThat(values.get(tags)).containsExactly("own");
      assertThat(values.token()).isEqualTo(snapshot);
      transaction.commit();
    }

    assertThat(store().read(likes)).isEqualTo(102);
    assertThat(store().read(tags)).containsExactly("concurrent", "own");
  }

  @Test
  void anAbortedTransactionLeavesNothingAndAnEndedOneIsRefused() {
    Transaction transaction = store().begin();
    transaction.update(likes.increment(1));
    transaction.abort();

    assertThat(store().read(likes)).isZero();
    assertThatThrownBy(transaction::commit).isInstanceOf(TransactionEndedException.class);
    assertThatThrownBy(() -> transaction.read(likes)).isInstanceOf(TransactionEndedException.class);
    transaction.close();
    assertThatThrownBy(
            () ->
                store()
                    .run(
                        tx -> {
                          tx.update(likes.increment(1));
                          throw new IllegalStateException("no");
                        }))
        .hasMessage("no");
    assertThat(store().read(likes)).isZero();
  }

  @Test
  void aTransactionAfterATokenSeesItsPoint() {
    for (long i = 1; i <= 50; i++) {
      CausalToken token = store().update(likes.increment());
      try (Transaction transaction = store().begin(TransactionOptions.defaults().after(token))) {
        assertThat(transaction.read(likes)).isEqualTo(i);
      }
    }
  }

  @Test
  void refusesATokenOfTheFutureOrOfAnotherStore() {
    CausalToken now = store().update(likes.increment());
    long later = Timestamp.of(Timestamp.count(now.vector().get(0)) + (1L << 40), 0);

    for (CausalToken token :
        List.of(
            new CausalToken(now.storeId(), VectorClock.of(later)),
            new CausalToken(now.storeId() + 1, now.vector()))) {
      assertThatThrownBy(() -> store().begin(TransactionOptions.defaults().after(token)))
          .isInstanceOf(UnknownSnapshotException.class);
    }
  }

  @Test
  void refusesAnotherTypeAndTheTransactionContinues() {
    store().update(likes.increment());
    RegisterKey<String> wrong = Key.register(bucket, "42/likes", Codec.string());

    assertThatThrownBy(() -> store().read(wrong)).isInstanceOf(TypeMismatchException.class);
    assertThatThrownBy(() -> store().update(wrong.assign("x")))
        .isInstanceOf(TypeMismatchException.class);
    try (Transaction transaction = store().begin()) {
      transaction.update(likes.increment());
      assertThatThrownBy(() -> transaction.read(wrong)).isInstanceOf(TypeMismatchException.class);
      transaction.commit();
    }
    assertThat(store().read(likes)).isEqualTo(2);
  }

  @Test
  void refusesAForbiddenUpdateAndTheTransactionContinues() {
    ObjectKey<BoundedCounter.Operation, Long> stock =
        Key.of(Bytes.utf8(bucket), Bytes.utf8("stock"), BoundedCounter.TYPE);
    store().update(stock.update(new BoundedCounter.Increment(2)));

    assertThatThrownBy(() -> store().update(stock.update(new BoundedCounter.Decrement(3))))
        .isInstanceOf(OperationRefusedException.class);
    try (Transaction transaction = store().begin()) {
      assertThatThrownBy(() -> transaction.update(stock.update(new BoundedCounter.Decrement(3))))
          .isInstanceOf(OperationRefusedException.class);
      transaction.update(stock.update(new BoundedCounter.Decrement(2)));
      transaction.commit();
    }
    assertThat(store().read(stock)).isZero();
  }

  @Test
  void readsAndUpdatesObjectsOfOtherTypes() {
    ObjectKey<MvRegister.Operation, List<Bytes>> register =
        Key.of(Bytes.utf8(bucket), Bytes.utf8("register"), MvRegister.TYPE);
    ObjectKey<EnableWinsFlag.Operation, Boolean> flag =
        Key.of(Bytes.utf8(bucket), Bytes.utf8("flag"), EnableWinsFlag.TYPE);
    ObjectKey<RecursiveResetMap.Operation, Map<MapKey<?, ?>, Object>> map =
        Key.of(Bytes.utf8(bucket), Bytes.utf8("map"), RecursiveResetMap.TYPE);
    MapKey<PnCounter.Add, Long> count = new MapKey<>(Bytes.utf8("count"), PnCounter.TYPE);
    try (Transaction left = store().begin();
        Transaction right = store().begin()) {
      left.update(register.update(new MvRegister.Assign(Bytes.utf8("l"))));
      right.update(register.update(new MvRegister.Assign(Bytes.utf8("r"))));
      left.commit();
      right.commit();
    }
    store()
        .update(
            flag.update(EnableWinsFlag.Operation.ENABLE),
            map.update(new RecursiveResetMap.Update<>(count, new PnCounter.Add(3))));

    assertThat(store().read(register)).containsExactly(Bytes.utf8("l"), Bytes.utf8("r"));
    assertThat(store().read(flag)).isTrue();
    assertThat(count.in(store().read(map))).contains(3L);
    store().update(map.update(new RecursiveResetMap.Remove(count)));
    assertThat(store().read(map)).isEmpty();
  }

  @Test
  void refusesAValueThatIsTooLarge() {
    RegisterKey<Bytes> large = Key.register(bucket, "large", Codec.bytes());

    assertThatThrownBy(() -> store().update(large.assign(Bytes.wrap(new byte[2 << 20]))))
        .isInstanceOf(LimitExceededException.class);
    store().update(large.assign(Bytes.wrap(new byte[1 << 19])));
    assertThat(store().read(large))
        .hasValueSatisfying(v -> assertThat(v.length()).isEqualTo(1 << 19));
  }

  @Test
  void nonBlockingCallsBehaveTheSame() throws Exception {
    CausalToken token =
        store().updateAsync(likes.increment(2)).toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(token.vector().size()).isEqualTo(1);
    assertThat(store().readAsync(likes).toCompletableFuture().get(30, TimeUnit.SECONDS))
        .isEqualTo(2);
    assertThat(
            store()
                .transactAsync(
                    tx -> {
                      tx.update(likes.increment());
                      return tx.read(likes);
                    })
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS))
        .isEqualTo(3);
    try (Transaction transaction = store().begin()) {
      transaction.update(likes.increment());
      assertThat(transaction.commitAsync().toCompletableFuture().get(30, TimeUnit.SECONDS))
          .isNotEqualTo(token);
    }
    assertThat(store().read(likes)).isEqualTo(4);
  }
}
