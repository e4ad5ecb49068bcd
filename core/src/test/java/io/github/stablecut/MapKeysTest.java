package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.EnableWinsFlag;
import io.github.stablecut.crdt.sequence.Text;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.GrowOnlyMapKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.MapValue;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.ObjectMapKey;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.key.Update;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Maps of objects, and the keys of the objects in them. */
final class MapKeysTest {
  private static final RecursiveMapKey CART = Key.map("shop", "cart-42");
  private static final CounterKey ITEMS = CART.counter("items");
  private static final AddWinsSetKey<String> TAGS = CART.addWinsSet("tags", Codec.string());

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

  private void reopen() {
    store.close();
    open();
  }

  @Test
  void objectsInAMapAreReadAndUpdatedLikeOthers() {
    assertThat(store.read(ITEMS)).isZero();
    assertThat(store.read(CART).isEmpty()).isTrue();

    store.update(ITEMS.increment(2), TAGS.add("new"));

    for (int opening = 0; opening < 3; opening++) {
      assertThat(store.read(ITEMS)).isEqualTo(2);
      Values values = store.read(List.of(ITEMS, TAGS, CART));
      assertThat(values.get(ITEMS)).isEqualTo(2);
      assertThat(values.get(TAGS)).containsExactly("new");
      MapValue cart = values.get(CART);
      assertThat(cart.get(ITEMS)).isEqualTo(2);
      assertThat(cart.get(TAGS)).containsExactly("new");
      assertThat(cart.keys()).isEqualTo(Set.of(ITEMS, TAGS));
      assertThat(cart.size()).isEqualTo(2);
      store.checkpoint();
      reopen();
    }
  }

  /** Every type of object, in a map. */
  private static Map<Update, Object> everything(ObjectMapKey map) {
    GrowOnlyMapKey inner = map.growOnlyMap("j");
    return Map.ofEntries(
        Map.entry(map.counter("a").increment(1), 1L),
        Map.entry(map.resettableCounter("b").increment(2), 2L),
        Map.entry(map.boundedCounter("c").increment(3), 3L),
        Map.entry(map.register("d", Codec.int64()).assign(4L), Optional.of(4L)),
        Map.entry(map.multiValueRegister("e", Codec.int64()).assign(5L), List.of(5L)),
        Map.entry(map.growOnlySet("f", Codec.int64()).add(6L), Set.of(6L)),
        Map.entry(map.addWinsSet("g", Codec.int64()).add(7L), Set.of(7L)),
        Map.entry(map.removeWinsSet("h", Codec.int64()).add(8L), Set.of(8L)),
        Map.entry(map.enableWinsFlag("i").enable(), true),
        Map.entry(map.disableWinsFlag("i").enable(), true),
        Map.entry(map.counterMap("k", Codec.string()).increment("x"), Map.of("x", 1L)),
        Map.entry(map.list("l", Codec.string()).insert(0, "m"), List.of("m")),
        Map.entry(map.text("n").insert(0, "o"), Text.of("o")),
        Map.entry(inner.map("p").text("q").insert(0, "r"), Text.of("r")),
        Map.entry(
            map.of(Bytes.utf8("s"), EnableWinsFlag.TYPE).update(EnableWinsFlag.Operation.ENABLE),
            true),
        Map.entry(Key.expiring(map.text("t")).object().insert(0, "u"), Text.of("u")));
  }

  private void assertHolds(Map<Update, Object> everything) {
    for (int opening = 0; opening < 2; opening++) {
      everything.forEach(
          (update, value) -> assertThat((Object) store.read(update.key())).isEqualTo(value));
      reopen();
    }
  }

  @Test
  void mapsHoldObjectsOfEveryType() {
    for (ObjectMapKey map :
        List.of(
            Key.map("b", "recursive"),
            Key.growOnlyMap("b", "grow-only"),
            Key.map("b", "outer").growOnlyMap("inner"),
            Key.growOnlyMap("b", "outermost").map("inner").map("innermost"),
            Key.expiring(Key.map("b", "expiring")).object(),
            Key.expiring(Key.map("b", "around").growOnlyMap("expiring")).object())) {
      Map<Update, Object> everything = everything(map);
      store.update(everything.keySet().toArray(new Update[0]));

      assertHolds(everything);
      MapValue value = store.read(map);
      assertThat(value.size()).isEqualTo(16);
      everything.forEach(
          (update, each) -> assertThat((Object) value.get(update.key())).isEqualTo(each));
    }
  }

  @Test
  void removesObjectsOfEveryTypeFromAMap() {
    Map<Update, Object> everything = everything(CART);
    store.update(everything.keySet().toArray(new Update[0]));

    store.update(CART.remove(CART.growOnlyMap("j")));
    for (ObjectKey<?, ?> entry : store.read(CART).keys()) {
      assertThat(store.read(CART).contains(entry)).isTrue();
      store.update(CART.remove(entry));
      assertThat(store.read(CART).contains(entry)).isFalse();
    }

    reopen();
    assertThat(store.read(CART).keys()).isEmpty();
    everything
        .keySet()
        .forEach(update -> assertThat(firstValues()).contains(store.read(update.key())));
  }

  private static List<Object> firstValues() {
    return List.of(0L, Optional.empty(), List.of(), Set.of(), Map.of(), false, Text.of(""));
  }

  @Test
  void removingAnObjectUndoesObservedUpdatesAndKeepsConcurrentOnes() {
    RecursiveMapKey lines = CART.map("lines");
    CounterKey pens = lines.counter("pens");
    store.update(pens.increment(5), lines.text("note").insert(0, "blue"));

    try (Transaction removing = store.begin();
        Transaction counting = store.begin()) {
      removing.update(CART.remove(lines));
      counting.update(pens.increment(2));
      assertThat(removing.read(pens)).isZero();
      assertThat(removing.read(CART).contains(lines)).isFalse();
      removing.commit();
      counting.commit();
    }

    for (int opening = 0; opening < 2; opening++) {
      assertThat(store.read(pens)).isEqualTo(2);
      assertThat(store.read(lines).keys()).isEqualTo(Set.of(pens));
      store.checkpoint();
      reopen();
    }
    store.update(CART.clear());
    assertThat(store.read(CART).isEmpty()).isTrue();
  }

  @Test
  void anEntryRemainsThoughItsObjectIsEmptyAgain() {
    store.update(TAGS.add("a"), ITEMS.increment(0));
    store.update(TAGS.clear());

    MapValue cart = store.read(CART);

    assertThat(cart.contains(TAGS)).isTrue();
    assertThat(cart.contains(ITEMS)).isTrue();
    assertThat(cart.contains(CART.counter("other"))).isFalse();
    assertThat(cart.contains(CART.register("items", Codec.string()))).isFalse();
    assertThat(cart.contains(CART.map("items").counter("items"))).isFalse();
    assertThat(cart.get(CART.counter("other"))).isZero();
  }

  @Test
  void valuesAreEqualByTheirObjectsAndValues() {
    store.update(TAGS.add("a"), ITEMS.increment(2));
    MapValue before = store.read(CART);

    store.update(ITEMS.increment(1));
    MapValue between = store.read(CART);
    store.update(ITEMS.increment(-1));
    MapValue after = store.read(CART);

    assertThat(after).isEqualTo(before).hasSameHashCodeAs(before).isNotEqualTo(between);
    RecursiveMapKey other = Key.map("shop", "another cart");
    store.update(
        other.addWinsSet("tags", Codec.string()).add("a"), other.counter("items").increment(2));
    assertThat(store.read(other)).isNotEqualTo(after);
  }

  @Test
  void aBatchIsOneOperationWithSequentialMeaning() {
    TextKey note = CART.map("more").text("note");
    store.update(ITEMS.increment(7));

    Update batch =
        CART.batch(
            CART.remove(ITEMS),
            ITEMS.increment(2),
            note.insert(0, "ac"),
            note.insert(1, "b"),
            CART.batch(TAGS.add("x"), TAGS.add("y"), TAGS.remove("x")));
    store.update(batch);

    for (int opening = 0; opening < 2; opening++) {
      MapValue cart = store.read(CART);
      assertThat(cart.get(ITEMS)).isEqualTo(2);
      assertThat(cart.get(note)).hasToString("abc");
      assertThat(cart.get(TAGS)).containsExactly("y");
      reopen();
    }
  }

  @Test
  void aRefusedPartRefusesTheWholeBatchAndTheTransactionContinues() {
    TextKey note = CART.text("note");

    store.run(
        transaction -> {
          assertThatThrownBy(
                  () -> transaction.update(CART.batch(ITEMS.increment(), note.delete(0, 1))))
              .isInstanceOf(OperationRefusedException.class)
              .hasMessageContaining("delete 1 from position 0");
          transaction.update(TAGS.add("on"));
        });

    assertThat(store.read(CART).keys()).isEqualTo(Set.of(TAGS));
  }

  @Test
  void aGrowOnlyMapHasBatchesToo() {
    GrowOnlyMapKey profile = Key.growOnlyMap("users", "7");
    CounterKey logins = profile.counter("logins");
    TextKey about = profile.growOnlyMap("texts").text("about");

    store.update(
        profile.batch(
            logins.increment(2), about.insert(0, "b"), profile.batch(about.insert(0, "a"))));

    assertThat(store.read(profile).get(logins)).isEqualTo(2);
    assertThat(store.read(about)).hasToString("ab");
  }

  @Test
  void aMapRefusesKeysOutsideIt() {
    CounterKey elsewhere = Key.map("shop", "cart-43").counter("items");
    CounterKey sameNames = Key.growOnlyMap("shop", "cart-42").counter("items");

    for (Key<?> stranger : List.of(elsewhere, sameNames, Key.counter("shop", "cart-42"), CART)) {
      assertThatThrownBy(() -> CART.remove(stranger))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(stranger + " is not in recursive-reset map \"cart-42\" in bucket");
    }
    assertThatThrownBy(() -> CART.batch(elsewhere.increment()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not in");
    assertThatThrownBy(() -> CART.batch(Key.counter("shop", "cart-42").increment()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CART.remove(CART.map("lines").counter("pens")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CART.batch(CART.clear()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("can't clear its map");
    assertThatThrownBy(() -> store.read(CART).get(elsewhere))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void objectsOfDifferentTypesWithOneNameAreDifferent() {
    store.update(CART.counter("x").increment(3), CART.text("x").insert(0, "three"));

    assertThat(store.read(CART).size()).isEqualTo(2);
    assertThat(store.read(CART.counter("x"))).isEqualTo(3);
    assertThat(store.read(CART.text("x"))).hasToString("three");
  }

  @Test
  void keysInMapsAreEqualByPathAndType() {
    CounterKey deep = Key.map("b", "k").growOnlyMap("m").counter("n");

    assertThat(deep)
        .isEqualTo(Key.map("b", "k").growOnlyMap("m").counter("n"))
        .hasSameHashCodeAs(Key.map("b", "k").growOnlyMap("m").counter("n"))
        .isNotEqualTo(Key.map("b", "k").map("m").counter("n"))
        .isNotEqualTo(Key.map("b", "k").growOnlyMap("m").resettableCounter("n"))
        .isNotEqualTo(Key.map("b", "k").growOnlyMap("m").counter("o"))
        .isNotEqualTo(Key.map("b", "k").counter("n"))
        .isNotEqualTo(Key.growOnlyMap("b", "k").growOnlyMap("m").counter("n"))
        .hasToString("counter \"n\" in map \"m\" in map \"k\" in bucket \"b\"");
    assertThat(deep.id()).isEqualTo(Key.map("b", "k").id());
    assertThat(deep.type()).isEqualTo(RecursiveResetMap.TYPE);
  }

  @Test
  void readsTheRightsOfABoundedCounterInAMap() {
    for (BoundedCounterKey stock :
        List.of(
            CART.boundedCounter("stock"),
            Key.growOnlyMap("b", "g").map("m").boundedCounter("stock"),
            Key.expiring(CART.boundedCounter("for now")).object())) {
      assertThat(store.read(stock.rights())).isEmpty();

      store.update(stock.increment(4), stock.transfer(1, 2));

      assertThat(store.read(stock.rights())).isEqualTo(Map.of(0, 3L, 2, 1L));
      assertThat(store.read(stock)).isEqualTo(4);
    }
  }

  @Test
  void objectsNestAsDeepAsTheTypesAllow() {
    RecursiveMapKey map = CART;
    for (int depth = 1; depth < 64; depth++) {
      map = map.map("m");
    }
    CounterKey deepest = map.counter("n");
    CounterKey tooDeep = map.map("m").counter("n");

    store.update(deepest.increment());

    reopen();
    assertThat(store.read(deepest)).isEqualTo(1);
    assertThat(store.read(tooDeep)).isZero();
    assertThatThrownBy(tooDeep::increment)
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("nest at most 64 deep");
  }
}
