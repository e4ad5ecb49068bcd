package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.internal.partition.ConditionalBatch;
import io.github.stablecut.internal.partition.ConditionalBatchCodec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.FlagKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.MultiValueRegisterKey;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Conditions as data, and functions of the values found. */
final class ConditionTest {
  private static final CounterKey STOCK = Key.counter("shop", "stock{1}");
  private static final RegisterKey<String> STATUS =
      Key.register("shop", "status{1}", Codec.string());
  private static final RegisterKey<Long> VERSION =
      Key.register("shop", "version{1}", Codec.int64());
  private static final FlagKey OPEN = Key.enableWinsFlag("shop", "open{1}");
  private static final AddWinsSetKey<String> TAGS =
      Key.addWinsSet("shop", "tags{1}", Codec.string());
  private static final CounterMapKey<String> COUNTS =
      Key.counterMap("shop", "counts{1}", Codec.string());
  private static final ListKey<String> LIST = Key.list("shop", "list{1}", Codec.string());
  private static final TextKey TEXT = Key.text("shop", "text{1}");
  private static final MultiValueRegisterKey<String> VALUES =
      Key.multiValueRegister("shop", "values{1}", Codec.string());
  private static final RecursiveMapKey MAP = Key.map("shop", "map{1}");
  private static final CounterKey IN_MAP = MAP.counter("inside");
  private static final BoundedCounterKey RIGHTS = Key.boundedCounter("shop", "rights{1}");
  private static final CounterKey WRITTEN = Key.counter("shop", "written{1}");

  @TempDir Path directory;
  private Optional<Store> opened = Optional.empty();

  private Store open(StoreOptions options) {
    Store store = Stablecut.open(directory, options);
    opened = Optional.of(store);
    return store;
  }

  private Store filled(StoreOptions options) {
    Store store = open(options);
    store.update(
        STOCK.increment(3),
        STATUS.assign("open"),
        VERSION.assign(-7L),
        OPEN.enable(),
        TAGS.addAll(List.of("a", "b")),
        COUNTS.increment("x", 4),
        LIST.insert(0, "first"),
        TEXT.insert(0, "words"),
        VALUES.assign("one"),
        IN_MAP.increment(5),
        RIGHTS.increment(6));
    return store;
  }

  @AfterEach
  void close() {
    opened.ifPresent(Store::close);
  }

  /** Conditions, each with whether it holds in the filled store. */
  static Map<Condition, Boolean> conditions() {
    RegisterKey<String> empty = Key.register("shop", "empty{1}", Codec.string());
    Map<Condition, Boolean> all = new LinkedHashMap<>();
    all.put(Condition.is(STOCK, 3L), true);
    all.put(Condition.is(STOCK, 4L), false);
    all.put(Condition.less(STOCK, 3), false);
    all.put(Condition.less(STOCK, 4), true);
    all.put(Condition.atMost(STOCK, 3), true);
    all.put(Condition.atMost(STOCK, 2), false);
    all.put(Condition.atLeast(STOCK, 3), true);
    all.put(Condition.atLeast(STOCK, 4), false);
    all.put(Condition.greater(STOCK, 2), true);
    all.put(Condition.greater(STOCK, 3), false);
    all.put(Condition.greater(STOCK, Long.MIN_VALUE), true);
    all.put(Condition.is(STATUS, Optional.of("open")), true);
    all.put(Condition.is(STATUS, Optional.of("shut")), false);
    all.put(Condition.isPresent(STATUS), true);
    all.put(Condition.isAbsent(STATUS), false);
    all.put(Condition.isPresent(empty), false);
    all.put(Condition.isAbsent(empty), true);
    all.put(Condition.less(empty, "a"), false);
    all.put(Condition.atLeast(empty, ""), false);
    all.put(Condition.less(VERSION, -6L), true);
    all.put(Condition.less(VERSION, -7L), false);
    all.put(Condition.atMost(VERSION, -7L), true);
    all.put(Condition.atLeast(VERSION, -7L), true);
    all.put(Condition.greater(VERSION, -8L), true);
    all.put(Condition.greater(VERSION, 0L), false);
    all.put(Condition.holds(OPEN), true);
    all.put(Condition.is(OPEN, false), false);
    all.put(Condition.holds(TAGS.contains("a")), true);
    all.put(Condition.holds(TAGS.contains("c")), false);
    all.put(Condition.is(TAGS.size(), 2), true);
    all.put(Condition.greater(TAGS.size(), 2), false);
    all.put(Condition.atLeast(TAGS.size(), -1), true);
    all.put(Condition.is(TAGS.firstPage(1), List.of("a")), true);
    all.put(Condition.is(TAGS.firstPage(2), List.of("a")), false);
    all.put(Condition.atLeast(COUNTS.get("x"), 4), true);
    all.put(Condition.less(COUNTS.get("y"), 0), false);
    all.put(Condition.is(COUNTS.firstPage(5), List.of(Map.entry("x", 4L))), true);
    all.put(Condition.is(LIST.get(0), Optional.of("first")), true);
    all.put(Condition.isAbsent(LIST.get(1)), true);
    all.put(Condition.is(LIST.slice(0, 3), List.of("first")), true);
    all.put(Condition.is(TEXT.slice(0, 3), "wor"), true);
    all.put(Condition.is(TEXT.length(), 5), true);
    all.put(Condition.is(VALUES, List.of("one")), true);
    all.put(Condition.is(VALUES, List.of()), false);
    all.put(Condition.is(IN_MAP, 5L), true);
    all.put(Condition.holds(MAP.contains(IN_MAP)), true);
    all.put(Condition.greater(MAP.size(), 1), false);
    all.put(Condition.atLeast(RIGHTS, 6), true);
    all.put(Condition.not(Condition.is(STOCK, 3L)), false);
    all.put(Condition.all(), true);
    all.put(Condition.any(), false);
    all.put(Condition.all(Condition.holds(OPEN), Condition.is(STOCK, 3L)), true);
    all.put(Condition.all(Condition.holds(OPEN), Condition.is(STOCK, 4L)), false);
    all.put(Condition.any(Condition.isAbsent(STATUS), Condition.is(STOCK, 3L)), true);
    all.put(
        Condition.not(Condition.any(Condition.isAbsent(STATUS), Condition.is(STOCK, 4L))), true);
    return all;
  }

  @Test
  void conditionsHoldOrNot() {
    Store store = filled(StoreOptions.defaults());
    long written = 0;
    for (Map.Entry<Condition, Boolean> each : conditions().entrySet()) {
      ConditionalResult result = store.compareAndUpdate(each.getKey(), WRITTEN.increment());

      written += each.getValue() ? 1 : 0;
      assertThat(result.isWritten()).as("%s", each.getKey()).isEqualTo(each.getValue());
      assertThat(store.read(WRITTEN)).isEqualTo(written);
    }
  }

  /** With hooks, the calling thread evaluates conditions. */
  @Test
  void conditionsHoldOrNotWithHooks() {
    Hooks hooks = Hooks.none().preCommit("shop", (update, snapshot) -> update);
    Store store = filled(StoreOptions.defaults().withHooks(hooks));
    for (Map.Entry<Condition, Boolean> each : conditions().entrySet()) {
      assertThat(store.compareAndUpdate(each.getKey(), WRITTEN.increment()).isWritten())
          .as("%s", each.getKey())
          .isEqualTo(each.getValue());
    }
  }

  @Test
  void conditionsOverSeveralPartitionsHoldOrNot() {
    Store store = filled(StoreOptions.defaults().withPartitions(8));
    CounterKey elsewhere = elsewhere(store);
    for (Map.Entry<Condition, Boolean> each : conditions().entrySet()) {
      Condition condition = Condition.all(each.getKey(), Condition.atLeast(elsewhere, 0));
      ConditionalResult result =
          store.compareAndUpdate(condition, WRITTEN.increment(), elsewhere.increment());

      assertThat(result.isWritten()).as("%s", each.getKey()).isEqualTo(each.getValue());
      assertThat(store.read(elsewhere)).isEqualTo(store.read(WRITTEN));
    }
  }

  private static CounterKey elsewhere(Store store) {
    int i = 0;
    while (store.partitionOf(Key.counter("shop", "e" + i)) == store.partitionOf(STOCK)) {
      i++;
    }
    return Key.counter("shop", "e" + i);
  }

  @Test
  void returnsTheComparedValues() {
    Store store = filled(StoreOptions.defaults());
    Condition condition =
        Condition.all(
            Condition.atLeast(STOCK, 5),
            Condition.is(STATUS, Optional.of("shut")),
            Condition.is(TAGS.firstPage(1), List.of("z")));

    ConditionalResult result = store.compareAndUpdate(condition, STOCK.decrement(5));

    assertThat(result.isWritten()).isFalse();
    assertThat(result.found().get(STOCK)).isEqualTo(3);
    assertThat(result.found().get(STATUS)).contains("open");
    assertThat(result.found().get(TAGS.firstPage(1))).containsExactly("a");
  }

  @Test
  void updatesSeeEarlierOnesOfTheSameCall() {
    Store store = filled(StoreOptions.defaults());
    store.compareAndUpdate(
        Condition.holds(OPEN), LIST.insert(1, "second"), LIST.insert(2, "third"), TAGS.clear());

    assertThat(store.read(LIST)).containsExactly("first", "second", "third");
    assertThat(store.read(TAGS)).isEmpty();
  }

  @Test
  void refusesWholeCollectionsAndOtherTypes() {
    Store store = filled(StoreOptions.defaults());
    assertThatThrownBy(() -> Condition.is(TAGS, new TreeSet<>()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("tags", "size or an element");
    CounterKey wrong = Key.counter("shop", "tags{1}");
    assertThatThrownBy(() -> store.compareAndUpdate(Condition.is(wrong, 0L), WRITTEN.increment()))
        .isInstanceOf(TypeMismatchException.class);
    assertThatThrownBy(() -> store.compareAndUpdate(Condition.holds(OPEN), wrong.increment()))
        .isInstanceOf(TypeMismatchException.class);
    assertThatThrownBy(() -> store.compareAndUpdate(Condition.holds(OPEN)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(store.read(WRITTEN)).isZero();
  }

  @Test
  void refusesTooLargeConditions() {
    StoreOptions small =
        StoreOptions.defaults().withLimits(StoreOptions.Limits.defaults().withValueBytes(1_000));
    Store store = filled(small);
    assertThatThrownBy(
            () -> store.compareAndUpdate(Condition.holds(OPEN), STATUS.assign("x".repeat(2_000))))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContainingAll("status", "1,000");
    assertThat(store.read(STATUS)).contains("open");
  }

  @Test
  void refusesConditionsAboveTheDepthLimit() {
    Condition condition = Condition.holds(OPEN);
    for (int i = 1; i < Condition.MAX_DEPTH; i++) {
      condition = Condition.not(condition);
    }
    Condition deepest = condition;
    assertThatThrownBy(() -> Condition.not(deepest))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("64");
    ConditionalBatch batch = new ConditionalBatch(deepest, List.of(STOCK.increment()), 10, 10);
    assertThat(
            ConditionalBatchCodec.encode(
                ConditionalBatchCodec.decode(ConditionalBatchCodec.encode(batch))))
        .isEqualTo(ConditionalBatchCodec.encode(batch));
  }

  @Test
  void conditionsSurviveEncoding() {
    Store store = filled(StoreOptions.defaults());
    conditions()
        .forEach(
            (condition, holds) -> {
              Update[] updates = {WRITTEN.increment(), TAGS.remove("none"), IN_MAP.increment(0)};
              ConditionalBatch sent =
                  ConditionalBatchCodec.decode(
                      ConditionalBatchCodec.encode(
                          new ConditionalBatch(condition, List.of(updates), 1_000, 1_000)));
              assertThat(
                      store
                          .compareAndUpdate(sent.condition(), sent.updates().toArray(new Update[0]))
                          .isWritten())
                  .as("%s", condition)
                  .isEqualTo(holds);
            });
  }

  @Test
  void aFunctionOfTheFoundValuesDrawsEachNumberOnce() throws Exception {
    for (int partitions : new int[] {1, 8}) {
      try (Store store =
          Stablecut.open(
              directory.resolve("s" + partitions),
              StoreOptions.defaults().withPartitions(partitions))) {
        CounterKey next = Key.counter("shop", "next");
        CounterKey other = partitions == 1 ? STOCK : elsewhere(store);
        List<Long> drawn = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<List<Long>>> all = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
          all.add(
              threads.submit(
                  () -> {
                    List<Long> own = new ArrayList<>();
                    for (int i = 0; i < 25; i++) {
                      own.add(
                          store.compute(
                              List.of(next, other),
                              found ->
                                  Computation.of(
                                      found.get(next), next.increment(), other.increment())));
                    }
                    return own;
                  }));
        }
        for (Future<List<Long>> own : all) {
          drawn.addAll(own.get());
        }
        threads.shutdown();
        assertThat(drawn).doesNotHaveDuplicates().hasSize(100);
        assertThat(store.read(next)).isEqualTo(100);
        assertThat(store.read(other)).isEqualTo(100);
      }
    }
  }

  /** The snapshot of a call is ahead of commits that are not durable or not decided yet. */
  @Test
  void callsOverPartitionsRunBesideOtherCommits() throws Exception {
    Store store = open(StoreOptions.defaults().withPartitions(4));
    List<CounterKey> own = onEachPartition(store, 4, "own");
    List<CounterKey> others = onEachPartition(store, 4, "others");
    AtomicBoolean isDone = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    List<Future<?>> writers = new ArrayList<>();
    for (int t = 0; t < 3; t++) {
      CounterKey one = others.get(t);
      CounterKey other = others.get(t + 1);
      writers.add(
          threads.submit(
              () -> {
                while (!isDone.get()) {
                  store.update(one.increment(), other.increment());
                }
              }));
    }
    try {
      for (int i = 0; i < 200; i++) {
        CounterKey one = own.get(i % 4);
        CounterKey other = own.get((i + 1) % 4);
        if (i % 2 == 0) {
          store.compute(
              List.of(one, other),
              found -> Computation.of(found.get(one), one.increment(), other.increment()));
        } else {
          store.compareAndUpdate(
              Condition.all(Condition.atLeast(one, 0L), Condition.atLeast(other, 0L)),
              one.increment(),
              other.increment());
        }
      }
    } finally {
      isDone.set(true);
      for (Future<?> writer : writers) {
        writer.get();
      }
      threads.shutdown();
    }
    assertThat(own).allSatisfy(key -> assertThat(store.read(key)).isEqualTo(100));
  }

  private static List<CounterKey> onEachPartition(Store store, int partitions, String name) {
    Map<Integer, CounterKey> found = new TreeMap<>();
    for (int i = 0; found.size() < partitions; i++) {
      CounterKey key = Key.counter("shop", name + i);
      found.putIfAbsent(store.partitionOf(key), key);
    }
    return List.copyOf(found.values());
  }

  @Test
  void throwsTheExceptionOfAFunctionOverPartitionsOnce() {
    Store store = open(StoreOptions.defaults().withPartitions(4));
    ConflictException thrown = new ConflictException("the function's own");
    List<Values> shown = new ArrayList<>();
    assertThatThrownBy(
            () ->
                store.compute(
                    onEachPartition(store, 4, "key"),
                    found -> {
                      shown.add(found);
                      throw thrown;
                    }))
        .isSameAs(thrown);
    assertThat(shown).hasSize(1);
  }

  @Test
  void aFunctionMayWriteNothingAndUpdatesOnlyItsKeys() {
    Store store = filled(StoreOptions.defaults());
    assertThat(store.<String>compute(List.of(STOCK), found -> Computation.of("none")))
        .isEqualTo("none");
    assertThatThrownBy(
            () ->
                store.<String>compute(
                    List.of(STOCK), found -> Computation.of("x", WRITTEN.increment())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("written");
    assertThat(store.read(WRITTEN)).isZero();
  }

  @Test
  @SuppressWarnings("NullAway") // the mistake under test
  void aFunctionThatReturnsNullIsRefused() {
    Store store = filled(StoreOptions.defaults());
    assertThatThrownBy(() -> store.<String>compute(List.of(STOCK), found -> null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("returned null: return Computation.of");
  }
}
