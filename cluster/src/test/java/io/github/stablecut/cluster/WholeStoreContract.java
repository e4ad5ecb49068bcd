package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Computation;
import io.github.stablecut.ConditionalResult;
import io.github.stablecut.DeleteRangeResult;
import io.github.stablecut.Pin;
import io.github.stablecut.Scan;
import io.github.stablecut.Session;
import io.github.stablecut.Snapshot;
import io.github.stablecut.StoredObject;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.CrdtTypes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.NestedCallException;
import io.github.stablecut.error.NestedTransactionOpenException;
import io.github.stablecut.error.StaleRequestException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.ExpiringKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.SnapshotOptions;
import io.github.stablecut.option.TransactionOptions;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The contract of all features that every kind of store has. */
abstract class WholeStoreContract extends StoreContract {
  final CounterKey counter(int number) {
    return Key.counter(bucket, "counter-%03d".formatted(number));
  }

  @Test
  void readsTypesThatAntidoteDbLacksCompletelyAndInParts() {
    ListKey<String> list = Key.list(bucket, "list", Codec.string());
    TextKey text = Key.text(bucket, "text");
    StreamKey<String> stream = Key.stream(bucket, "stream", Codec.string());
    RecursiveMapKey map = Key.map(bucket, "map");
    RegisterKey<String> inMap = map.register("name", Codec.string());
    ExpiringKey<CounterKey> expiring = Key.expiring(Key.counter(bucket, "expiring"));
    store()
        .update(
            list.insertAll(0, List.of("a", "b", "c")),
            text.insert(0, "hello"),
            stream.append("first"),
            inMap.assign("Ann"),
            map.counter("n").increment(3),
            expiring.object().increment(4));

    assertThat(store().read(list)).containsExactly("a", "b", "c");
    assertThat(store().read(list.get(1))).contains("b");
    assertThat(store().read(text)).hasToString("hello");
    assertThat(store().read(text.slice(1, 3))).hasToString("el");
    assertThat(store().read(stream).entries()).containsExactly("first");
    assertThat(store().read(inMap)).contains("Ann");
    assertThat(store().read(map.counter("n"))).isEqualTo(3);
    assertThat(store().read(map.size())).isEqualTo(2);
    assertThat(store().read(expiring.object())).isEqualTo(4);
    assertThat(store().readLatest(list)).containsExactly("a", "b", "c");
  }

  @Test
  void distinguishesAnEmptyRegisterFromAnEmptyValue() {
    assertThat(store().read(title)).isEmpty();
    store().update(title.assign(""));
    assertThat(store().read(title)).contains("");
  }

  @Test
  void readsUnwrittenObjectsOfEveryType() {
    for (CrdtType<?, ?, ?, ?> type : CrdtTypes.all()) {
      Key<?> key = Key.ofId(Key.counter(bucket, "of type " + type.typeId()).id(), type);
      assertThat((Object) store().read(key)).as(type.name()).isNotNull();
    }
  }

  @Test
  void readsThePastAtATokenAndKeepsItReadableWhilePinned() {
    CausalToken first = store().update(likes.increment());
    try (Pin pin = store().pin(first)) {
      store().update(likes.increment());
      store().checkpoint();

      assertThat(store().at(first).read(likes)).isEqualTo(1);
      assertThat(pin.read(likes)).isEqualTo(1);
      assertThat(pin.token()).isEqualTo(first);
      Snapshot now = store().snapshot();
      store().update(likes.increment());
      assertThat(now.read(likes)).isEqualTo(2);
      assertThat(store().latest(likes).read(likes)).isEqualTo(3);
      assertThat(store().readLatest(likes)).isEqualTo(3);
    }
  }

  @Test
  void aSnapshotOfTheNearestReplicasContainsItsTokenAndIsStable() {
    CausalToken first = store().update(likes.increment(1));
    Snapshot near = store().snapshot(SnapshotOptions.nearest().after(first));
    assertThat(near.read(likes)).isEqualTo(1);

    CausalToken second = store().update(likes.increment(1));

    assertThat(near.read(likes)).isEqualTo(1);
    for (SnapshotOptions options : List.of(SnapshotOptions.nearest(), SnapshotOptions.leader())) {
      Snapshot next = store().snapshot(options.after(second));
      assertThat(next.read(likes)).isEqualTo(2);
      assertThat(keys(next.scan(bucket))).containsExactly("42/likes");
      assertThat(second.vector().isAtOrBefore(next.token().vector())).isTrue();
    }
  }

  @Test
  void aConditionReturnsWhetherItHeldAndTheComparedValues() {
    store().update(likes.increment(2), tags.add("x"));

    ConditionalResult held =
        store()
            .compareAndUpdate(
                Condition.all(
                    Condition.atLeast(likes, 2),
                    Condition.any(Condition.isPresent(title), Condition.holds(tags.contains("x")))),
                likes.decrement(2));
    ConditionalResult failed =
        store().compareAndUpdate(Condition.atLeast(likes, 2), likes.decrement(2));

    assertThat(held.isWritten()).isTrue();
    assertThat(held.found().get(likes)).isEqualTo(2);
    assertThat(held.found().get(tags.contains("x"))).isTrue();
    assertThat(store().at(held.token()).read(likes)).isZero();
    assertThat(failed.isWritten()).isFalse();
    assertThat(failed.found().get(likes)).isZero();
    assertThatThrownBy(() -> store().compareAndUpdate(Condition.atLeast(likes, 2)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aFunctionDecidesByItsReadsAndMayNotCallTheStore() {
    for (int i = 0; i < 3; i++) {
      long ticket =
          store()
              .compute(
                  List.of(likes), found -> Computation.of(found.get(likes), likes.increment()));
      assertThat(ticket).isEqualTo(i);
    }
    assertThat(
            store()
                .compareAndUpdate(
                    List.of(likes, tags.size()),
                    found -> found.get(likes) == 3 && found.get(tags.size()) == 0,
                    tags.add("x"))
                .isWritten())
        .isTrue();
    assertThat(store().read(tags)).containsExactly("x");
    assertThatThrownBy(
            () ->
                store()
                    .compute(
                        List.of(likes), found -> Computation.of(store().update(likes.increment()))))
        .isInstanceOf(NestedCallException.class);
    assertThatThrownBy(
            () -> store().compute(List.of(likes), found -> Computation.of(1, tags.add("y"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("without reading it");
    assertThat(store().read(likes)).isEqualTo(3);
  }

  @Test
  void losesNoConcurrentComputation() {
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          CompletableFuture.runAsync(
              () -> {
                for (int j = 0; j < 5; j++) {
                  store()
                      .compute(
                          List.of(title),
                          found -> {
                            String more = found.get(title).orElse("") + "x";
                            return Computation.of(more, title.assign(more));
                          });
                }
              },
              task -> new Thread(task).start()));
    }
    threads.forEach(CompletableFuture::join);

    assertThat(store().read(title)).contains("x".repeat(20));
  }

  @Test
  void aCertifiedTransactionDetectsAFasterOne() {
    for (Certification certification : Certification.values()) {
      try (Transaction transaction =
          store().begin(TransactionOptions.defaults().certify(certification))) {
        long seen = transaction.read(likes);
        transaction.update(likes.increment(seen + 1));
        store().update(likes.increment());

        if (certification == Certification.NONE) {
          transaction.commit();
        } else {
          assertThatThrownBy(transaction::commit).isInstanceOf(ConflictException.class);
        }
      }
    }
  }

  @Test
  void aNestedTransactionCommitsOrRollsBack() {
    try (Transaction outer = store().begin()) {
      outer.update(likes.increment(1));
      try (Transaction kept = outer.begin()) {
        kept.update(likes.increment(10));
        try (Transaction taken = kept.begin()) {
          taken.update(likes.increment(100));
          assertThat(taken.read(likes)).isEqualTo(111);
          assertThatThrownBy(() -> kept.read(likes))
              .isInstanceOf(NestedTransactionOpenException.class);
          assertThatThrownBy(outer::commit).isInstanceOf(NestedTransactionOpenException.class);
          taken.abort();
          assertThatThrownBy(() -> taken.read(likes)).isInstanceOf(TransactionEndedException.class);
        }
        assertThat(kept.read(likes)).isEqualTo(11);
        assertThat(kept.commit()).isEqualTo(outer.snapshot());
      }
      try (Transaction closed = outer.begin()) {
        closed.update(likes.increment(1_000));
      }
      assertThat(outer.read(likes)).isEqualTo(11);
      outer.commit();
    }
    assertThat(store().read(likes)).isEqualTo(11);
  }

  private static List<String> keys(Scan scan) {
    try (scan) {
      return scan.stream().map(object -> object.key().toUtf8()).toList();
    }
  }

  private void updateCounters(int number) {
    Update[] updates = new Update[number];
    for (int i = 0; i < number; i++) {
      updates[i] = counter(i).increment(i + 1);
    }
    store().update(updates);
  }

  @Test
  void aScanReturnsItsRangeInOrder() {
    updateCounters(12);
    Snapshot snapshot = store().snapshot();
    store().update(counter(99).increment());
    ScanOptions all = ScanOptions.bucket(bucket);

    try (Scan scan = snapshot.scan(bucket)) {
      for (int i = 0; i < 12; i++) {
        StoredObject object = scan.next();
        assertThat(object.key()).isEqualTo(counter(i).key());
        assertThat(object.value()).isEqualTo(i + 1L);
        assertThat(object.keyAs(likes)).isEqualTo(counter(i));
        assertThat(object.valueAs(likes)).isEqualTo(i + 1L);
      }
      assertThat(scan.hasNext()).isFalse();
    }
    assertThat(keys(snapshot.scan(all.descending().limit(2))))
        .containsExactly("counter-011", "counter-010");
    assertThat(keys(snapshot.scan(all.from("counter-003").until("counter-006").keysOnly())))
        .containsExactly("counter-003", "counter-004", "counter-005");
    assertThat(keys(snapshot.scan(all.after("counter-009"))))
        .containsExactly("counter-010", "counter-011");
    try (Scan scan = snapshot.scan(all.keysOnly())) {
      assertThatThrownBy(() -> scan.next().value()).isInstanceOf(IllegalStateException.class);
    }
    try (Scan scan = snapshot.scan()) {
      assertThat(scan.stream().filter(object -> object.bucket().toUtf8().equals(bucket)))
          .hasSize(12);
    }
    assertThat(keys(store().snapshot().scan("nothing in " + bucket))).isEmpty();
  }

  @Test
  void keepsAnOverflowingSumAndRefusesOnlyItsReads() {
    CounterKey much = counter(1);
    store().update(counter(0).increment(), much.increment(Long.MAX_VALUE), counter(2).increment());
    store().update(much.increment(5));
    String sum = much.key() + " in bucket " + much.bucket() + ": counter: the sum is 9,223,372,036";

    assertThatThrownBy(() -> store().read(much))
        .isInstanceOfSatisfying(
            LimitExceededException.class,
            e ->
                assertThat(e.sum())
                    .contains(BigInteger.valueOf(Long.MAX_VALUE).add(BigInteger.valueOf(5))))
        .hasMessageContaining(sum);
    assertThatThrownBy(() -> store().compareAndUpdate(Condition.is(much, 1L), much.increment()))
        .isInstanceOf(LimitExceededException.class);
    try (Scan scan = store().snapshot().scan(bucket)) {
      assertThat(scan.next().value()).isEqualTo(1L);
      StoredObject unreadable = scan.next();
      assertThatThrownBy(unreadable::value)
          .isInstanceOf(LimitExceededException.class)
          .hasMessageContaining(sum);
      assertThat(scan.next().value()).isEqualTo(1L);
      assertThat(scan.hasNext()).isFalse();
    }
    try (Transaction transaction = store().begin()) {
      assertThatThrownBy(() -> transaction.read(much)).isInstanceOf(LimitExceededException.class);
      transaction.update(much.decrement(6));
      assertThat(transaction.read(much)).isEqualTo(Long.MAX_VALUE - 1);
      transaction.commit();
    }
    assertThat(store().read(much)).isEqualTo(Long.MAX_VALUE - 1);
    assertThatThrownBy(() -> much.decrement(Long.MIN_VALUE))
        .isInstanceOf(LimitExceededException.class);
  }

  @Test
  void aScanOfManyPagesIsComplete() {
    RegisterKey<String> last = null;
    String value = "v".repeat(30_000);
    for (int i = 0; i < 40; i++) {
      last = Key.register(bucket, "large-%03d".formatted(i), Codec.string());
      store().update(last.assign(value));
    }

    try (Scan scan = store().snapshot().scan(bucket)) {
      assertThat(scan.stream().map(object -> object.key().toUtf8()))
          .hasSize(40)
          .isSorted()
          .last()
          .isEqualTo("large-039");
    }
  }

  @Test
  void aScanInATransactionSeesItsOwnUpdates() {
    updateCounters(6);
    try (Transaction transaction = store().begin();
        Scan scan = transaction.scan(ScanOptions.bucket(bucket))) {
      assertThat(scan.next().value()).isEqualTo(1L);
      transaction.update(counter(1).increment(100), counter(7).increment(7));

      assertThat(scan.next().value()).isEqualTo(102L);
      assertThat(keys(transaction.scan(ScanOptions.bucket(bucket)))).hasSize(7);
    }
  }

  @Test
  void aScanInATransactionIgnoresObjectsCreatedAheadOfIt() {
    updateCounters(3);
    List<Object> found = new ArrayList<>();
    try (Transaction transaction = store().begin();
        Scan scan = transaction.scan(ScanOptions.bucket(bucket))) {
      for (int i = 0; i < 10; i++) {
        try (Transaction nested = transaction.begin()) {
          nested.update(counter(2).increment(1_000));
        }
        transaction.update(counter(2).increment(100), counter(3 + i).increment());
        if (scan.hasNext()) {
          found.add(scan.next().value());
        }
      }
    }

    assertThat(found).containsExactly(1L, 2L, 303L);
  }

  @Test
  void objectsEmptiedAheadOfAScanDoNotCountForItsLimit() {
    for (String name : List.of("a", "b", "c", "d", "e")) {
      store().update(named(name).add("x"));
    }
    List<String> found = new ArrayList<>();
    try (Transaction transaction = store().begin();
        Scan scan = transaction.scan(ScanOptions.bucket(bucket).limit(3))) {
      found.add(scan.next().key().toUtf8());
      transaction.update(named("b").clear());
      while (scan.hasNext()) {
        found.add(scan.next().key().toUtf8());
      }
    }

    assertThat(found).containsExactly("a", "c", "d");
  }

  @Test
  void aScanReturnsObjectsRefilledAheadOfIt() {
    for (String name : List.of("a", "b", "c", "d", "e")) {
      store().update(named(name).add("x"));
    }
    try (Transaction transaction = store().begin()) {
      transaction.update(named("b").clear(), named("e").clear());
      try (Scan scan = transaction.scan(ScanOptions.bucket(bucket));
          Scan two = transaction.scan(ScanOptions.bucket(bucket).limit(2));
          Scan back = transaction.scan(ScanOptions.bucket(bucket).descending())) {
        assertThat(scan.next().key().toUtf8()).isEqualTo("a");
        assertThat(two.next().key().toUtf8()).isEqualTo("a");
        assertThat(back.next().key().toUtf8()).isEqualTo("d");

        transaction.update(named("b").add("y"), named("bb").add("y"), named("e").add("y"));

        assertThat(keys(scan)).containsExactly("b", "c", "d", "e");
        assertThat(keys(two)).containsExactly("b");
        assertThat(keys(back)).containsExactly("c", "b", "a");
      }
    }
  }

  private AddWinsSetKey<String> named(String name) {
    return Key.addWinsSet(bucket, name, Codec.string());
  }

  @Test
  void aDeletedRangeIsAsIfUnwritten() {
    store().update(tags.add("x"), title.assign("t"), likes.increment());

    DeleteRangeResult deleted = store().deleteRange(ScanOptions.bucket(bucket));

    assertThat(deleted.deleted()).isEqualTo(2);
    assertThat(deleted.kept()).isEqualTo(1);
    assertThat(store().read(tags)).isEmpty();
    assertThat(store().read(likes)).isEqualTo(1);
  }

  @Test
  void executesASessionsRequestOnceHoweverOftenItIsSent() {
    Session session = store().openSession();
    CausalToken first = session.update(1, likes.increment());

    assertThat(session.update(1, likes.increment())).isEqualTo(first);
    assertThat(session.token().vector()).isEqualTo(first.vector());
    assertThat(store().session(session.id()).update(1, likes.increment())).isEqualTo(first);
    session.update(2, likes.increment());
    assertThatThrownBy(() -> session.update(1, likes.increment()))
        .isInstanceOf(StaleRequestException.class);
    assertThatThrownBy(() -> session.update(0, likes.increment()))
        .isInstanceOf(IllegalArgumentException.class);
    RegisterKey<String> wrong = Key.register(bucket, "42/likes", Codec.string());
    assertThatThrownBy(() -> session.update(3, wrong.assign("x")))
        .isInstanceOf(TypeMismatchException.class);
    assertThat(store().read(likes)).isEqualTo(2);
  }

  @Test
  void executesASessionsConditionalRequestOnceIfItsConditionHolds() {
    Session session = store().openSession();
    Condition isNew = Condition.is(likes, 0L);
    Optional<CausalToken> first = session.updateIf(1, isNew, likes.increment());

    assertThat(first).isPresent();
    assertThat(session.updateIf(1, isNew, likes.increment())).isEqualTo(first);
    assertThat(session.token().vector()).isEqualTo(first.orElseThrow().vector());
    assertThat(session.updateIf(2, isNew, likes.increment())).isEmpty();
    assertThat(session.updateIf(2, Condition.is(likes, 1L), likes.increment())).isPresent();
    assertThatThrownBy(() -> session.updateIf(1, isNew, likes.increment()))
        .isInstanceOf(StaleRequestException.class);
    assertThatThrownBy(() -> session.updateIf(3, isNew))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(store().updateOnce(likes.increment()).vector()).isNotNull();
    assertThat(store().read(likes)).isEqualTo(3);
  }

  @Test
  void returnsTheStatusOfTheStore() {
    CausalToken token = store().update(likes.increment());

    assertThat(store().status().storeId()).isEqualTo(token.storeId());
    assertThat(store().status().partitions()).isPositive();
    assertThat(store().status().times().maxCommitted().storeId()).isEqualTo(token.storeId());
    assertThat(store().partitionOf(likes)).isBetween(0, store().status().partitions() - 1);
  }
}
