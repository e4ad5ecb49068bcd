package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.ExpiringKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RemoveWinsSetKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deletes ranges of objects of all types and sizes. */
class DeleteRangeTest {
  @TempDir private Path directory;
  private Store store;

  @BeforeEach
  void open() {
    store =
        Stablecut.open(
            directory.resolve("data"),
            StoreOptions.defaults()
                .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ofHours(1))));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static List<String> keysOf(Scan opened) {
    try (Scan scan = opened) {
      return scan.stream().map(object -> object.key().toUtf8()).toList();
    }
  }

  @Test
  void deletesARangeWithoutUndeletableObjects() {
    List<Key<?>> deletable =
        List.of(
            Key.addWinsSet("d", "add-wins", Codec.string()),
            Key.removeWinsSet("d", "remove-wins", Codec.string()),
            Key.register("d", "register", Codec.string()),
            Key.multiValueRegister("d", "values", Codec.string()),
            Key.resettableCounter("d", "resettable"),
            Key.enableWinsFlag("d", "enable-wins"),
            Key.text("d", "text"),
            Key.list("d", "list", Codec.string()),
            Key.map("d", "map"),
            Key.expiring(Key.counter("d", "expiring")));
    store.update(
        Key.addWinsSet("d", "add-wins", Codec.string()).add("x"),
        Key.removeWinsSet("d", "remove-wins", Codec.string()).add("x"),
        Key.register("d", "register", Codec.string()).assign("x"),
        Key.multiValueRegister("d", "values", Codec.string()).assign("x"),
        Key.resettableCounter("d", "resettable").increment(),
        Key.enableWinsFlag("d", "enable-wins").enable(),
        Key.text("d", "text").insert(0, "x"),
        Key.list("d", "list", Codec.string()).insert(0, "x"),
        Key.map("d", "map").counter("x").increment(),
        Key.expiring(Key.counter("d", "expiring")).object().increment(),
        Key.counter("d", "counter").increment());
    CausalToken before = store.snapshot().token();

    DeleteRangeResult done = store.deleteRange(ScanOptions.bucket("d"));

    assertThat(done.deleted()).isEqualTo(deletable.size());
    assertThat(done.kept()).isEqualTo(1);
    assertThat(keysOf(store.at(done.token()).scan("d"))).containsExactly("counter");
    assertThat(keysOf(store.at(before).scan("d"))).hasSize(deletable.size() + 1);
    assertThat(store.deleteRange(ScanOptions.bucket("none")).deleted()).isZero();
  }

  @Test
  void deletesALongRangeInParts() {
    List<Update> updates = new ArrayList<>();
    for (int i = 0; i < 3_500; i++) {
      updates.add(Key.register("r", "k%04d".formatted(i), Codec.int64()).assign((long) i));
    }
    store.update(updates.toArray(Update[]::new));
    ScanOptions range = ScanOptions.bucket("r").from("k0100");

    assertThat(store.deleteRange(range.limit(1_500)).deleted()).isEqualTo(1_500);
    assertThat(keysOf(store.snapshot().scan(range.limit(1)))).containsExactly("k1600");
    assertThat(store.deleteRange(range).deleted()).isEqualTo(1_900);
    assertThat(keysOf(store.snapshot().scan(ScanOptions.bucket("r")))).hasSize(100);
  }

  /** The deletion is larger than a transaction may be. */
  @Test
  void aDeletionIsAsLargeAsATransactionMayBe() {
    try (Store small =
        Stablecut.open(
            directory.resolve("small"),
            StoreOptions.defaults()
                .withLimits(
                    StoreOptions.Limits.defaults()
                        .withValueBytes(4_096)
                        .withTransactionBytes(4_096)))) {
      for (int i = 0; i < 20; i++) {
        AddWinsSetKey<String> set = Key.addWinsSet("d", "set" + i, Codec.string());
        for (int k = 0; k < 5; k++) {
          small.update(set.add("a long element ".repeat(10) + k));
        }
      }
      assertThat(small.deleteRange(ScanOptions.bucket("d")).deleted()).isEqualTo(20);
      assertThat(keysOf(small.snapshot().scan("d"))).isEmpty();
    }
  }

  /** One type of each object stays, and the other fills a transaction or is larger. */
  @Test
  void deletesAndCountsObjectsOfSeveralTypesOnce() {
    int objects = 20;
    Path small = directory.resolve("small");
    try (Store wide = Stablecut.open(small)) {
      for (int i = 0; i < objects; i++) {
        AddWinsSetKey<String> set = Key.addWinsSet("d", "k" + i, Codec.string());
        try (Transaction both = wide.begin(TransactionOptions.defaults().allowOtherTypes())) {
          both.update(Key.counter("d", "k" + i).increment());
          for (int k = i == objects / 2 ? -300 : 0; k < 5; k++) {
            both.update(set.add("a long element ".repeat(10) + k));
          }
          both.commit();
        }
      }
    }
    StoreOptions.Limits limits =
        StoreOptions.Limits.defaults().withValueBytes(4_096).withTransactionBytes(4_096);
    try (Store store = Stablecut.open(small, StoreOptions.defaults().withLimits(limits))) {
      DeleteRangeResult deleted = store.deleteRange(ScanOptions.bucket("d"));

      assertThat(deleted.deleted()).isEqualTo(objects);
      assertThat(deleted.kept()).isEqualTo(objects);
      try (Scan left = store.snapshot().scan("d")) {
        assertThat(left.stream().map(StoredObject::type))
            .hasSize(objects)
            .containsOnly(PnCounter.TYPE);
      }
    }
  }

  /** Each large object has a deletion that is larger than an operation may be. */
  @Test
  void deletesALargeObjectInParts() {
    AddWinsSetKey<String> set = Key.addWinsSet("d", "b: add-wins", Codec.string());
    RemoveWinsSetKey<String> other = Key.removeWinsSet("d", "c: remove-wins", Codec.string());
    ListKey<String> list = Key.list("d", "d: list", Codec.string());
    RecursiveMapKey map = Key.map("d", "e: map");
    AddWinsSetKey<String> inner = map.map("inner").addWinsSet("set", Codec.string());
    ExpiringKey<AddWinsSetKey<String>> expiring =
        Key.expiring(Key.addWinsSet("d", "f: expiring", Codec.string()));
    CounterMapKey<String> kept = Key.counterMap("d", "g: counters", Codec.string());
    StoreOptions.Limits limits =
        StoreOptions.Limits.defaults().withValueBytes(8_192).withTransactionBytes(8_192);
    Path small = directory.resolve("small");
    try (Store wide = Stablecut.open(small)) {
      wide.update(Key.register("d", "a: register", Codec.string()).assign("x"));
      for (int i = 0; i < 300; i++) {
        String element = "a long element ".repeat(10) + i;
        wide.update(
            set.add(element),
            other.add(element),
            list.insert(0, "x"),
            inner.add(element),
            map.register("register " + i, Codec.string()).assign("x"),
            expiring.object().add(element),
            kept.increment(element));
      }
      for (int i = 0; i < 300; i += 3) {
        wide.update(list.delete(i / 3, 1));
      }
      wide.update(expiring.expireAfter(Duration.ofDays(1)));
      wide.update(Key.register("d", "h: register", Codec.string()).assign("x"));
    }
    try (Store store = Stablecut.open(small, StoreOptions.defaults().withLimits(limits))) {
      ScanOptions range = ScanOptions.bucket("d");
      assertThatThrownBy(() -> store.update(set.clear()))
          .isInstanceOf(LimitExceededException.class);
      CausalToken before = store.snapshot().token();

      DeleteRangeResult some = store.deleteRange(range.limit(3));
      DeleteRangeResult rest = store.deleteRange(range.from("c"));

      assertThat(some.deleted()).isEqualTo(3);
      assertThat(rest.deleted()).isEqualTo(4);
      assertThat(rest.kept()).isEqualTo(1);
      assertThat(keysOf(store.at(rest.token()).scan(range))).containsExactly("g: counters");
      assertThat(keysOf(store.at(before).scan(range))).hasSize(8);
      assertThat(store.read(expiring)).isEmpty();
      store.update(expiring.object().add("x"), inner.add("x"), list.insert(0, "x"));
      assertThat(store.read(inner)).containsExactly("x");
      assertThat(store.read(map.size())).isEqualTo(1);
      assertThat(store.read(list)).containsExactly("x");
    }
  }

  @Test
  void reportsAnObjectAboveThePartLimitAndDeletesTheOnesBefore() {
    AddWinsSetKey<String> set = Key.addWinsSet("d", "b", Codec.string());
    StoreOptions.Limits limits =
        StoreOptions.Limits.defaults().withValueBytes(2_048).withTransactionBytes(2_048);
    Path small = directory.resolve("small");
    try (Store wide = Stablecut.open(small)) {
      wide.update(Key.register("d", "a", Codec.string()).assign("x"), set.add("x".repeat(3_000)));
    }
    try (Store store = Stablecut.open(small, StoreOptions.defaults().withLimits(limits))) {
      assertThatThrownBy(() -> store.deleteRange(ScanOptions.bucket("d")))
          .isInstanceOf(LimitExceededException.class)
          .hasMessageContaining("\"b\" in bucket \"d\"");
      assertThat(keysOf(store.snapshot().scan("d"))).containsExactly("b");
    }
  }
}
