package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.ValueRefusedException;
import io.github.stablecut.error.InvalidTokenException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.GrowOnlyMapKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid calls are refused with the reason and change nothing. */
final class BadInputTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");
  private static final RegisterKey<String> REGISTER = Key.register("b", "r", Codec.string());

  @TempDir private Path directory;

  private Store open() {
    return Stablecut.open(directory);
  }

  private Store open(StoreOptions.Limits limits) {
    return Stablecut.open(directory, StoreOptions.defaults().withLimits(limits));
  }

  @Test
  void refusesAKeyOfAnotherTypeAndTheTransactionContinues() {
    RegisterKey<String> wrong = Key.register("b", "k", Codec.string());
    try (Store store = open()) {
      store.update(COUNTER.increment());

      assertThatThrownBy(() -> store.read(wrong))
          .isInstanceOf(TypeMismatchException.class)
          .hasMessageStartingWith(
              "object \"k\" in bucket \"b\" is a counter, not a last-writer-wins");
      assertThatThrownBy(() -> store.update(wrong.assign("x")))
          .isInstanceOf(TypeMismatchException.class);
      try (Transaction transaction = store.begin()) {
        transaction.update(REGISTER.assign("kept"));
        assertThatThrownBy(() -> transaction.update(COUNTER.increment(), wrong.assign("x")))
            .isInstanceOf(TypeMismatchException.class);
        assertThat(transaction.read(COUNTER)).isEqualTo(1);
        transaction.commit();
      }
      assertThat(store.read(COUNTER)).isEqualTo(1);
      assertThat(store.read(REGISTER)).contains("kept");
    }
  }

  @Test
  void refusesTheSecondOfTwoTransactionsThatGiveAnObjectDifferentTypes() {
    RegisterKey<String> other = Key.register("b", "k", Codec.string());
    try (Store store = open();
        Transaction first = store.begin();
        Transaction second = store.begin()) {
      first.update(COUNTER.increment());
      second.update(REGISTER.assign("never"), other.assign("x"));
      first.commit();

      assertThatThrownBy(second::commit).isInstanceOf(TypeMismatchException.class);
      assertThat(store.read(REGISTER)).isEmpty();
      assertThat(store.read(COUNTER)).isEqualTo(1);
    }
  }

  @Test
  void namesTheInvalidArgument() {
    assertThat(Key.nameOf(Key.counter("b", "k").id())).isEqualTo("\"k\" in bucket \"b\"");
    assertThat(Key.nameOf(Bytes.utf8("none"))).isEqualTo("\"none\"");
    assertThatThrownBy(() -> CheckpointPolicy.defaults().withRetention(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("retention must not be negative", "minus 1 second");
    try (Store store = open()) {
      assertThatThrownBy(() -> store.read(List.of(COUNTER)).get(REGISTER))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("was not read", COUNTER.toString(), "add it");
    }
  }

  @Test
  void oneTransactionCannotGiveAnObjectTwoTypes() {
    try (Store store = open();
        Transaction transaction = store.begin()) {
      transaction.update(COUNTER.increment());
      RegisterKey<String> other = Key.register("b", "k", Codec.string());

      assertThatThrownBy(() -> transaction.update(other.assign("x")))
          .isInstanceOf(TypeMismatchException.class);
      assertThatThrownBy(() -> transaction.read(other)).isInstanceOf(TypeMismatchException.class);
    }
  }

  @Test
  void refusesKeysAboveTheLimit() {
    assertThatThrownBy(() -> Key.counter("b", "k".repeat(Key.MAX_BYTES)))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("32,769 bytes")
        .hasMessageContaining("32,768");
  }

  @Test
  void refusesElementsAndNamesAboveTheLimitInEveryType() {
    String longest = "x".repeat(1 << 20);
    String tooLong = longest + "y";
    Codec<String> texts = Codec.string();
    RecursiveMapKey map = Key.map("b", "map");
    GrowOnlyMapKey growOnlyMap = Key.growOnlyMap("b", "grow-only map");
    Map<String, Function<String, Update>> operations =
        Map.of(
            "add-wins set", Key.addWinsSet("b", "adds", texts)::add,
            "remove-wins set", Key.removeWinsSet("b", "removes", texts)::add,
            "grow-only set", Key.growOnlySet("b", "grows", texts)::add,
            "counter map", Key.counterMap("b", "counts", texts)::increment,
            "map", name -> map.register(name, texts).assign("v"),
            "grow-only map", name -> growOnlyMap.register(name, texts).assign("v"),
            "map in a map", name -> map.map("inner").map(name).counter("c").increment(),
            "set in a map", map.addWinsSet("set", texts)::add,
            "expiring set", Key.expiring(Key.addWinsSet("b", "expiring", texts)).object()::add,
            "batch",
                name -> map.batch(map.counter("c").increment(), map.counter(name).increment()));
    try (Store store = open()) {
      operations.forEach(
          (type, operation) -> {
            assertThatThrownBy(() -> store.update(COUNTER.increment(), operation.apply(tooLong)))
                .as(type)
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContainingAll("1,048,577 bytes", "1,048,576", "register");
            store.update(operation.apply(longest));
          });
      assertThatThrownBy(
              () ->
                  store.compareAndUpdate(
                      Condition.atMost(COUNTER, 0),
                      Key.addWinsSet("b", "adds", texts).add(tooLong)))
          .isInstanceOf(LimitExceededException.class)
          .hasMessageContaining("1,048,577 bytes");
      assertThat(store.read(COUNTER)).isZero();
      assertThat(store.read(Key.addWinsSet("b", "adds", texts))).containsExactly(longest);
      assertThat(store.read(map.register(longest, texts))).contains("v");
    }
  }

  @Test
  void refusesValuesAndTransactionsAboveTheLimitsAndKeepsTheRest() {
    StoreOptions.Limits limits =
        StoreOptions.Limits.defaults().withValueBytes(1_000).withTransactionBytes(3_000);
    try (Store store = open(limits);
        Transaction transaction = store.begin()) {
      assertThatThrownBy(() -> transaction.update(REGISTER.assign("x".repeat(1_000))))
          .isInstanceOf(LimitExceededException.class)
          .hasMessageContaining("at most 1,000");
      for (int i = 0; i < 3; i++) {
        transaction.update(REGISTER.assign("x".repeat(900)));
      }
      assertThatThrownBy(() -> transaction.update(REGISTER.assign("y".repeat(900))))
          .isInstanceOf(LimitExceededException.class)
          .hasMessageContaining("at most 3,000");
      transaction.commit();

      assertThat(store.read(REGISTER)).contains("x".repeat(900));
    }
  }

  @Test
  void commitsAndReadsATransactionOfTheLargestSize() {
    String large = "x".repeat(15 << 20);
    try (Store store = open()) {
      try (Transaction transaction = store.begin()) {
        for (int i = 0; i < 4; i++) {
          transaction.update(Key.register("large", "" + i, Codec.string()).assign(large));
        }
        transaction.commit();
      }
    }
    try (Store store = open()) {
      assertThat(store.read(Key.register("large", "3", Codec.string()))).contains(large);
    }
  }

  @Test
  void endedTransactionReportsItsOutcome() {
    try (Store store = open()) {
      Transaction committed = store.begin();
      committed.update(COUNTER.increment());
      committed.commit();
      Transaction aborted = store.begin();
      aborted.abort();

      assertThatThrownBy(committed::commit)
          .isInstanceOf(TransactionEndedException.class)
          .hasMessageContaining("committed");
      assertThatThrownBy(() -> committed.read(COUNTER))
          .isInstanceOf(TransactionEndedException.class);
      assertThatThrownBy(() -> aborted.update(COUNTER.increment()))
          .isInstanceOf(TransactionEndedException.class)
          .hasMessageContaining("aborted");
      committed.close();
      assertThat(store.read(COUNTER)).isEqualTo(1);
    }
  }

  @Test
  void endsATransactionAboveTheMaximumAgeWithoutEffect() {
    StoreOptions options = StoreOptions.defaults().withMaxTransactionAge(Duration.ofMillis(1));
    try (Store store = Stablecut.open(directory, options);
        Transaction transaction = store.begin()) {
      while (store.status().openTransactions() > 0) {
        Thread.onSpinWait();
      }

      assertThatThrownBy(() -> transaction.update(COUNTER.increment()))
          .isInstanceOf(TransactionExpiredException.class)
          .hasMessageContaining("1 millisecond");
      assertThatThrownBy(transaction::commit).isInstanceOf(TransactionExpiredException.class);
    }
  }

  @Test
  void abandonedTransactionPinsNothingAfterTheMaximumAge() {
    StoreOptions options = StoreOptions.defaults().withMaxTransactionAge(Duration.ofMillis(1));
    try (Store store = Stablecut.open(directory, options)) {
      CausalToken old = store.begin().snapshot();
      CausalToken newer = store.update(COUNTER.increment());
      while (store.status().times().minDependency().equals(old)) {
        Thread.onSpinWait();
      }

      assertThat(store.status().times().minDependency()).isEqualTo(newer);
    }
  }

  @Test
  void everyCallOnAClosedStoreReportsThatItIsClosed() {
    Store store = open();
    Transaction transaction = store.begin();
    Snapshot snapshot = store.snapshot();
    CausalToken token = snapshot.token();
    transaction.update(COUNTER.increment());
    Scan scan = snapshot.scan();
    store.close();
    store.close();

    for (org.assertj.core.api.ThrowableAssert.ThrowingCallable call :
        List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
            store::begin,
            store::snapshot,
            store::status,
            () -> store.at(token),
            () -> store.read(COUNTER),
            () -> store.update(COUNTER.increment()),
            () -> store.updateAsync(COUNTER.increment()),
            () -> snapshot.read(COUNTER),
            () -> snapshot.scan(),
            scan::hasNext,
            () -> transaction.read(COUNTER),
            transaction::commit)) {
      assertThatThrownBy(call).isInstanceOf(StoreClosedException.class);
    }
    assertThatThrownBy(() -> store.readAsync(COUNTER).toCompletableFuture().join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(StoreClosedException.class);
    try (Store again = open()) {
      assertThat(again.read(COUNTER)).isZero();
    }
  }

  @Test
  void refusesTokensOfAnotherStoreAndOfTheFuture(@TempDir Path elsewhere) {
    try (Store store = open();
        Store other = Stablecut.open(elsewhere)) {
      CausalToken foreign = other.update(COUNTER.increment());
      CausalToken future =
          new CausalToken(
              store.status().storeId(),
              io.github.stablecut.causality.VectorClock.of(Long.MAX_VALUE));

      for (CausalToken token : List.of(foreign, future)) {
        assertThatThrownBy(() -> store.at(token)).isInstanceOf(UnknownSnapshotException.class);
        assertThatThrownBy(() -> store.begin(TransactionOptions.defaults().after(token)))
            .isInstanceOf(UnknownSnapshotException.class);
      }
    }
  }

  @Test
  void tokensRoundTripAsTextAndOtherTextsAreRefused() {
    try (Store store = open()) {
      CausalToken token = store.update(COUNTER.increment());

      assertThat(CausalToken.parse(token.toText())).isEqualTo(token);
      for (String text :
          List.of("", "?", "AA", token.toText() + "A", token.toText().substring(2))) {
        assertThatThrownBy(() -> CausalToken.parse(text)).isInstanceOf(InvalidTokenException.class);
      }
    }
  }

  @Test
  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // as a caller without a null checker may do
  void refusesNulls() {
    try (Store store = open();
        Transaction transaction = store.begin()) {
      Map<ThrowingCallable, String> names = new LinkedHashMap<>();
      names.put(() -> Key.counter(null, "k"), "bucket");
      names.put(() -> Key.counter("b", null), "key");
      names.put(() -> Key.register("b", "k", null), "codec");
      names.put(() -> REGISTER.assign(null), "value");
      names.put(() -> store.read((Key<?>) null), "query");
      names.put(() -> store.read(Arrays.asList(COUNTER, null)), "query");
      names.put(() -> store.update((Update) null), "update");
      names.put(() -> store.update((Update[]) null), "updates");
      names.put(() -> store.at((CausalToken) null), "token");
      names.put(() -> transaction.read((Key<?>) null), "query");
      names.put(() -> transaction.update((Update) null), "update");
      names.put(() -> Stablecut.open(null), "directory");
      names.put(() -> Stablecut.open(directory, null), "options");
      names.forEach(
          (call, name) ->
              assertThatThrownBy(call)
                  .isInstanceOf(NullPointerException.class)
                  .message()
                  .as(name)
                  .matches("(?s).*\\b" + name + "\\b.*"));
      assertThat(transaction.commit()).isEqualTo(transaction.snapshot());
      assertThat(store.status().memory().objects()).isZero();
    }
  }

  @Test
  void emptyUpdateCommitsNothing() {
    try (Store store = open()) {
      CausalToken token = store.update();

      assertThat(store.at(token).read(Key.addWinsSet("b", "s", Codec.string())))
          .isEqualTo(Set.of());
      assertThat(store.status().memory().objects()).isZero();
    }
  }

  @Test
  void twoObjectsNeverShareAnId() {
    CounterKey ab = Key.counter("a", "b");
    CounterKey zero = Key.counter("a\0", "b");
    CounterKey shifted = Key.counter("a", "\0b");
    CounterKey empty = Key.counter("", "a\0\1b");
    try (Store store = open()) {
      store.update(ab.increment(1), zero.increment(2), shifted.increment(3), empty.increment(4));

      assertThat(store.read(ab)).isEqualTo(1);
      assertThat(store.read(zero)).isEqualTo(2);
      assertThat(store.read(shifted)).isEqualTo(3);
      assertThat(store.read(empty)).isEqualTo(4);
    }
  }

  /**
   * Java's encoder would replace each by a question mark, and several names would become one
   * object.
   */
  @ParameterizedTest
  @ValueSource(strings = {"user-\uD83D", "\uDE00-user", "\uD83D\uD83D\uDE00", "\uDE00\uD83D"})
  void refusesUnpairedSurrogatesWhereverATextBecomesBytes(String text) {
    RecursiveMapKey map = Key.map("b", "map");
    RegisterKey<String> register = Key.register("b", "register", Codec.string());
    AddWinsSetKey<String> set = Key.addWinsSet("b", "set", Codec.string());
    CounterMapKey<String> counters = Key.counterMap("b", "counters", Codec.string());
    ListKey<String> list = Key.list("b", "list", Codec.string());
    List<ThrowingCallable> names =
        List.of(
            () -> Key.counter("b", text),
            () -> Key.counter(text, "k"),
            () -> map.counter(text),
            () -> Hooks.none().preCommit(text, (update, snapshot) -> update),
            () -> Key.text("b", "text").insert(0, text),
            () -> Bytes.utf8(text));
    List<ThrowingCallable> values =
        List.of(
            () -> register.assign(text),
            () -> set.add(text),
            () -> counters.increment(text, 1),
            () -> list.insert(0, text));

    assertThat(names)
        .allSatisfy(
            name ->
                assertThatThrownBy(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("surrogate"));
    assertThat(values)
        .allSatisfy(
            value ->
                assertThatThrownBy(value)
                    .isInstanceOf(ValueRefusedException.class)
                    .hasMessageContaining("surrogate"));
    assertThat(Key.counter("b", "\uD83D\uDE00").key().toUtf8()).isEqualTo("\uD83D\uDE00");
  }
}
