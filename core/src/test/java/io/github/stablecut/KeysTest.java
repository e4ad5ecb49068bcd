package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.sequence.Text;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.FlagKey;
import io.github.stablecut.key.GrowOnlySetKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.MultiValueRegisterKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.RemovableSetKey;
import io.github.stablecut.key.RemoveWinsSetKey;
import io.github.stablecut.key.ResettableCounterKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.key.Update;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The keys of all object types, on a store that is closed and reopened. */
final class KeysTest {
  @TempDir private Path directory;
  private Store store;

  @BeforeEach
  void open() {
    store = Stablecut.open(directory.resolve("data"));
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Asserts the value read now, after reopening, and after reopening with a checkpoint. */
  private void assertReads(Key<?> key, Object expected) {
    assertThat(store.read(key)).isEqualTo(expected);
    close();
    open();
    assertThat(store.read(key)).isEqualTo(expected);
    store.checkpoint();
    close();
    open();
    assertThat(store.read(key)).isEqualTo(expected);
  }

  /** Executes two updates in transactions that don't see each other. */
  private void concurrently(Update one, Update other) {
    try (Transaction first = store.begin();
        Transaction second = store.begin()) {
      first.update(one);
      second.update(other);
      first.commit();
      second.commit();
    }
  }

  @Test
  void aCounterGoesUpAndDown() {
    CounterKey likes = Key.counter("posts", "42/likes");
    assertReads(likes, 0L);

    store.update(likes.increment(), likes.increment(5), likes.decrement(8));

    assertReads(likes, -2L);
  }

  @Test
  void aResetSubtractsEarlierIncrements() {
    ResettableCounterKey today = Key.resettableCounter("posts", "42/today");
    store.update(today.increment(), today.increment(5), today.decrement(2));
    assertReads(today, 4L);

    concurrently(today.reset(), today.increment(10));

    assertReads(today, 10L);
  }

  @Test
  void aBoundedCounterIsDividedIntoRights() {
    BoundedCounterKey stock = Key.boundedCounter("shop", "stock");
    assertThat(store.read(stock.rights())).isEmpty();
    store.update(stock.increment(10), stock.decrement(3), stock.transfer(2, 7));

    assertReads(stock, 7L);
    Values values = store.read(List.of(stock, stock.rights()));
    assertThat(values.get(stock)).isEqualTo(7L);
    assertThat(values.get(stock.rights())).isEqualTo(Map.of(0, 5L, 7, 2L));
    assertThat(store.read(Key.counter("shop", "other"))).isZero();
  }

  @Test
  void refusesNonPositiveAmountsAndNamesTheRightCall() {
    BoundedCounterKey stock = Key.boundedCounter("shop", "stock");
    String refused = "bounded counter: the amount must be above 0, not ";

    assertThatThrownBy(() -> stock.increment(-2))
        .hasMessage(refused + "-2; use decrement to subtract");
    assertThatThrownBy(() -> stock.decrement(-2)).hasMessage(refused + "-2; use increment to add");
    assertThatThrownBy(() -> stock.transfer(-2, 7))
        .hasMessage(refused + "-2; to get rights back, transfer them at the other data centre");
    assertThatThrownBy(() -> stock.increment(0)).hasMessage(refused + "0; omit the operation");
    assertThatThrownBy(() -> stock.transfer(0, 7)).hasMessage(refused + "0; omit the operation");
  }

  @Test
  void refusesADecrementWithoutRightsAndTheTransactionContinues() {
    BoundedCounterKey stock = Key.boundedCounter("shop", "stock");
    CounterKey sold = Key.counter("shop", "sold");
    store.update(stock.increment(3));

    try (Transaction transaction = store.begin()) {
      assertThatThrownBy(() -> transaction.update(sold.increment(4), stock.decrement(4)))
          .isInstanceOf(OperationRefusedException.class)
          .hasMessage(
              "bounded counter: a decrement of 4 needs as many rights, but data centre 0 has 3 of"
                  + " the total 3; increment there, or transfer rights to it");
      assertThat(transaction.read(sold)).isZero();
      transaction.update(stock.decrement(3), sold.increment(3));
      transaction.commit();
    }

    assertReads(stock, 0L);
    assertReads(sold, 3L);
    assertThatThrownBy(() -> stock.increment(0)).isInstanceOf(OperationRefusedException.class);
    assertThatThrownBy(() -> stock.transfer(1, -1)).isInstanceOf(OperationRefusedException.class);
  }

  @Test
  void aRegisterHasTheLastValue() {
    RegisterKey<String> title = Key.register("posts", "42/title", Codec.string());
    store.update(title.assign("Sets"), title.assign("Maps"));

    assertThat(store.read(title)).contains("Maps");
    store.update(title.assign("Trees"));
    close();
    open();
    assertThat(store.read(title)).contains("Trees");
  }

  @Test
  void aMultiValueRegisterKeepsConcurrentAssignments() {
    MultiValueRegisterKey<Long> price = Key.multiValueRegister("shop", "price", Codec.int64());
    assertReads(price, List.of());

    concurrently(price.assign(9L), price.assign(8L));
    assertReads(price, List.of(8L, 9L));
    store.update(price.assign(7L));
    assertReads(price, List.of(7L));
    concurrently(price.clear(), price.assign(6L));
    assertReads(price, List.of(6L));
    store.update(price.clear());
    assertReads(price, List.of());
  }

  @Test
  void aGrowOnlySetKeepsEverything() {
    GrowOnlySetKey<Long> seen = Key.growOnlySet("posts", "42/seen", Codec.int64());

    concurrently(seen.add(2L), seen.addAll(List.of(-1L, 2L, 3L)));

    assertThat(store.read(seen)).containsExactly(-1L, 2L, 3L);
    close();
    open();
    assertThat(store.read(seen)).containsExactly(-1L, 2L, 3L);
  }

  @Test
  void additionWinsInAnAddWinsSetAndRemovalInARemoveWinsSet() {
    AddWinsSetKey<String> tags = Key.addWinsSet("posts", "42/tags", Codec.string());
    RemoveWinsSetKey<String> guests = Key.removeWinsSet("posts", "42/guests", Codec.string());
    for (RemovableSetKey<String> set : List.of(tags, guests)) {
      store.update(set.addAll(List.of("a", "b", "c", "d")), set.remove("d"));
      store.update(set.removeAll(List.of("b", "c")));
      assertThat(store.read(set)).containsExactly("a");
      concurrently(set.remove("a"), set.add("a"));
    }

    assertThat(store.read(tags)).containsExactly("a");
    assertThat(store.read(guests)).isEmpty();
    for (RemovableSetKey<String> set : List.of(tags, guests)) {
      store.update(set.add("e"));
      concurrently(set.clear(), set.add("f"));
      close();
      open();
      assertThat(store.read(set)).containsExactly("f");
    }
  }

  @Test
  void enablingWinsInOneFlagAndDisablingInTheOther() {
    FlagKey subscribed = Key.enableWinsFlag("users", "7/subscribed");
    FlagKey consent = Key.disableWinsFlag("users", "7/consent");
    for (FlagKey flag : List.of(subscribed, consent)) {
      assertReads(flag, false);
      store.update(flag.enable());
      assertReads(flag, true);
      concurrently(flag.disable(), flag.enable());
    }

    assertReads(subscribed, true);
    assertReads(consent, false);
    store.update(subscribed.disable(), consent.reset());
    concurrently(subscribed.reset(), subscribed.enable());
    concurrently(consent.reset(), consent.enable());
    assertReads(subscribed, true);
    assertReads(consent, true);
  }

  @Test
  void aCounterMapCountsByName() {
    CounterMapKey<String> votes = Key.counterMap("polls", "1", Codec.string());
    assertReads(votes, Map.of());

    store.update(votes.increment("no"), votes.increment("yes", 4), votes.decrement("no", 3));
    store.update(votes.incrementAll(Map.of("yes", 1L, "none", 0L)));

    assertReads(votes, Map.of("no", -2L, "none", 0L, "yes", 5L));
    assertThat(store.read(votes).keySet()).containsExactly("no", "none", "yes");
  }

  @Test
  void aListIsEditedByPosition() {
    ListKey<Long> queue = Key.list("jobs", "queue", Codec.int64());
    assertReads(queue, List.of());

    store.update(queue.insertAll(0, List.of(1L, 2L, 3L)), queue.insert(3, 4L), queue.delete(1, 2));
    assertReads(queue, List.of(1L, 4L));
    concurrently(queue.clear(), queue.insert(1, 9L));
    assertReads(queue, List.of(9L));
  }

  @Test
  void aTextIsEditedByPositionsInCodePoints() {
    TextKey note = Key.text("notes", "1");
    assertReads(note, Text.of(""));

    store.update(note.insert(0, "a😀c"), note.insert(2, "b"), note.delete(3, 1));
    assertReads(note, Text.of("a😀b"));
    concurrently(note.delete(0, 2), note.insert(1, "!"));
    assertReads(note, Text.of("!b"));
    store.update(note.clear());
    assertReads(note, Text.of(""));
    assertThatThrownBy(() -> note.insert(0, "\ud83d")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesAMissingPositionAndTheTransactionContinues() {
    TextKey note = Key.text("notes", "1");

    store.run(
        transaction -> {
          transaction.update(note.insert(0, "ab"));
          assertThatThrownBy(() -> transaction.update(note.delete(0, 1), note.insert(2, "c")))
              .isInstanceOf(OperationRefusedException.class)
              .hasMessage("text of 1 elements: position 2 is beyond the end");
          transaction.update(note.insert(2, "c"));
        });

    assertReads(note, Text.of("abc"));
  }

  @Test
  void anObjectHasOneTypeForever() {
    store.update(Key.text("b", "k").insert(0, "a"));

    assertThatThrownBy(() -> store.read(Key.list("b", "k", Codec.string())))
        .isInstanceOf(TypeMismatchException.class)
        .hasMessageContaining("is a text, not a list");
    assertThatThrownBy(() -> store.update(Key.map("b", "k").counter("n").increment()))
        .isInstanceOf(TypeMismatchException.class)
        .hasMessageContaining("is a text, not a recursive-reset map");
    assertThatThrownBy(() -> store.read(Key.growOnlyMap("b", "k").counter("n")))
        .isInstanceOf(TypeMismatchException.class);
    assertThatThrownBy(() -> store.read(Key.expiring(Key.text("b", "k")).object()))
        .isInstanceOf(TypeMismatchException.class)
        .hasMessageContaining("is a text, not an expiring text");
    assertReads(Key.text("b", "k"), Text.of("a"));
  }

  @Test
  void keysAreEqualByObjectAndTypeWhateverTheirCodecs() {
    CounterKey likes = Key.counter("b", "k");

    assertThat(likes)
        .isEqualTo(Key.counter("b", "k"))
        .hasSameHashCodeAs(Key.counter("b", "k"))
        .isEqualTo(Key.of(Bytes.utf8("b"), Bytes.utf8("k"), PnCounter.TYPE))
        .isNotEqualTo(Key.counter("b", "l"))
        .isNotEqualTo(Key.counter("c", "k"))
        .isNotEqualTo(Key.resettableCounter("b", "k"))
        .hasToString("counter \"k\" in bucket \"b\"");
    assertThat(Key.addWinsSet("b", "k", Codec.string()))
        .isEqualTo(Key.addWinsSet("b", "k", Codec.int64()))
        .isNotEqualTo(Key.removeWinsSet("b", "k", Codec.string()));
    assertThat(Key.boundedCounter("b", "k")).isNotEqualTo(Key.boundedCounter("b", "k").rights());
    assertThat(Key.boundedCounter("b", "k").rights())
        .isEqualTo(Key.boundedCounter("b", "k").rights());
  }
}
