package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.DeleteRangeResult;
import io.github.stablecut.Pin;
import io.github.stablecut.Reader;
import io.github.stablecut.Scan;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.StoredObject;
import io.github.stablecut.Transaction;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.paging.PageCheck;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.RemoveWinsSetKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.jspecify.annotations.Nullable;

/**
 * One contract for any arrangement: random histories of interleaved transactions, checkpoints,
 * truncation, kills and power cuts. After the steps, every object at every retained snapshot equals
 * the replay of the whole journal, and unretained snapshots are refused.
 *
 * <p>The journal of the store under test is truncated, so a twin provides the replay: a store that
 * runs the same transactions, makes no checkpoint and never crashes.
 */
final class OracleProperties {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final RegisterKey<String> REGISTER = Key.register("b", "register", Codec.string());
  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "set", Codec.string());

  /** Premature pruning would remove removals that win over a concurrent addition. */
  private static final RemoveWinsSetKey<String> REMOVABLE =
      Key.removeWinsSet("b", "removable", Codec.string());

  private static final CounterMapKey<String> COUNTS = Key.counterMap("b", "counts", Codec.string());
  private static final ListKey<String> LIST = Key.list("b", "list", Codec.string());
  private static final TextKey TEXT = Key.text("b", "text");

  /** Some of its values are in pages of their own. */
  private static final RecursiveMapKey MAP = Key.map("b", "map");

  private static final RecursiveMapKey INNER = MAP.map("inner");

  /** The same map with a comparable value. */
  private static final Key<?> PLAIN_MAP =
      Key.of(Bytes.utf8("b"), Bytes.utf8("map"), RecursiveResetMap.TYPE);

  /** In the order of a scan. */
  private static final List<Key<?>> KEYS =
      List.of(COUNTER, COUNTS, LIST, PLAIN_MAP, REGISTER, REMOVABLE, SET, TEXT);

  /** Queries, each about a part of its object. */
  private static final List<Query<?>> QUESTIONS =
      List.of(
          COUNTS.get("e1"),
          COUNTS.size(),
          COUNTS.pageAfter("e1", 2),
          LIST.get(1),
          LIST.slice(1, 4),
          LIST.size(),
          MAP.size(),
          MAP.contains(register(MAP, "e2")),
          register(MAP, "e1"),
          register(INNER, "e1"),
          SET.contains("e2"),
          SET.firstPage(2),
          SET.pageBefore("e3", 2),
          SET.size(),
          REMOVABLE.contains("e2"),
          REMOVABLE.lastPage(2),
          TEXT.length(),
          TEXT.slice(2, 7));

  private static final List<ScanOptions> RANGES =
      List.of(
          ScanOptions.bucket("b"),
          ScanOptions.bucket("b").descending(),
          ScanOptions.bucket("b").prefix("re"),
          ScanOptions.bucket("b").above("counter").until("set").limit(2),
          ScanOptions.bucket("b").through("register").descending().limit(2),
          ScanOptions.bucket("b").after("list").limit(1));

  private static final int SLOTS = 3;

  private static RegisterKey<String> register(RecursiveMapKey map, String name) {
    return map.register(name, Codec.string());
  }

  /** One step of a history. */
  sealed interface Step {
    record Begin(int slot) implements Step {}

    record Execute(int slot, int what, int value) implements Step {}

    record Commit(int slot) implements Step {}

    record Abort(int slot) implements Step {}

    record Checkpoint() implements Step {}

    /** Releases the past and truncates it. */
    record Truncate() implements Step {}

    /** Deletes the objects of one of the ranges. */
    record Delete(int range) implements Step {}

    record HoldOrRelease(int slot) implements Step {}

    record Kill() implements Step {}

    record PowerCut(int seed) implements Step {}
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    Arbitrary<Integer> slot = Arbitraries.integers().between(0, SLOTS - 1);
    Arbitrary<Integer> what = Arbitraries.integers().between(0, 17);
    Arbitrary<Integer> small = Arbitraries.integers().between(0, 4);
    return Arbitraries.<Step>frequencyOf(
            Tuple.of(4, slot.map(Step.Begin::new)),
            Tuple.of(10, Combinators.combine(slot, what, small).as(Step.Execute::new)),
            Tuple.of(6, slot.map(Step.Commit::new)),
            Tuple.of(1, slot.map(Step.Abort::new)),
            Tuple.of(3, Arbitraries.create(Step.Checkpoint::new)),
            Tuple.of(1, Arbitraries.create(Step.Truncate::new)),
            Tuple.of(1, Arbitraries.integers().between(0, RANGES.size() - 1).map(Step.Delete::new)),
            Tuple.of(2, slot.map(Step.HoldOrRelease::new)),
            Tuple.of(1, Arbitraries.create(Step.Kill::new)),
            Tuple.of(1, Arbitraries.integers().map(Step.PowerCut::new)))
        .list()
        .ofMinSize(20)
        .ofMaxSize(80);
  }

  @Provide
  Arbitrary<CacheOptions> caches() {
    return Arbitraries.of(
        CacheOptions.off(),
        CacheOptions.objects(1),
        CacheOptions.bytes(1 << 20),
        CacheOptions.levels(CacheOptions.Capacity.objects(1), CacheOptions.Capacity.bytes(400)));
  }

  @Provide
  Arbitrary<IndexOptions> indexes() {
    return Arbitraries.of(
        IndexOptions.defaults().withFoldAfter(0),
        IndexOptions.defaults().withFoldAfter(2),
        IndexOptions.off());
  }

  /** Pages hold states of a few bytes, states of some operations, or none. */
  @Provide
  Arbitrary<Integer> pageSizes() {
    return Arbitraries.of(1, 60, 64 << 10);
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void everySnapshotEqualsTheReplayOfTheJournal(
      @ForAll("histories") List<Step> history,
      @ForAll("indexes") IndexOptions index,
      @ForAll("caches") CacheOptions cache,
      @ForAll boolean effectsInMemory,
      @ForAll boolean readsOften,
      @ForAll boolean truncates,
      @ForAll("pageSizes") int pagedFromBytes) {
    CheckpointPolicy checkpoints = CheckpointPolicy.byCall().withPagedFromBytes(pagedFromBytes);
    StoreOptions options =
        StoreOptions.defaults()
            .withIndex(index)
            .withCache(cache)
            .withExecutor(Runnable::run)
            .withLimits(effectsInMemory ? LossyDisk.LIMITS : LossyDisk.LIMITS.withEffectBytes(0))
            .withCheckpoints(
                truncates
                    ? checkpoints.withRetention(Duration.ZERO)
                    : checkpoints.withEndlessRetention());
    try (Run run = new Run(options)) {
      for (Step step : history) {
        run.take(step);
        run.checkTimes();
        // Reads after each commit would cache a version per commit, which hides errors.
        if (readsOften || step instanceof Step.HoldOrRelease) {
          run.check();
        }
      }
      run.check();
    }
  }

  /** A transaction on the store under test, and the same one on the twin. */
  private record OpenPair(Transaction tested, Transaction twin) {}

  /** An object at a point of the twin. */
  private record ObjectAt(Key<?> key, CausalToken token) {}

  /** The same point in both stores. */
  private record Point(CausalToken tested, CausalToken twin) {}

  private static final class Run implements AutoCloseable {
    private final StoreOptions options;
    private final EmbeddedStore twin;
    private final Map<Integer, OpenPair> open = new HashMap<>();
    private final Map<Integer, Pin> pins = new HashMap<>();
    private final List<Point> points = new ArrayList<>();
    private final Map<ObjectAt, Object> replayed = new HashMap<>();
    private LossyDisk disk = LossyDisk.empty();
    private EmbeddedStore store;

    Run(StoreOptions options) {
      this.options = options;
      store = disk.open(options);
      twin =
          LossyDisk.empty()
              .open(
                  StoreOptions.defaults()
                      .withLimits(LossyDisk.LIMITS)
                      .withCheckpoints(CheckpointPolicy.byCall()));
    }

    void take(Step step) {
      if (step instanceof Step.Begin begin) {
        end(open.put(begin.slot(), begin()));
      } else if (step instanceof Step.Execute execute) {
        execute(open.computeIfAbsent(execute.slot(), slot -> begin()), execute);
      } else if (step instanceof Step.Commit commit) {
        Optional.ofNullable(open.remove(commit.slot())).ifPresent(this::commit);
      } else if (step instanceof Step.Abort abort) {
        end(open.remove(abort.slot()));
      } else if (step instanceof Step.Checkpoint) {
        checkpoint();
      } else if (step instanceof Step.Truncate) {
        release();
        checkpoint();
      } else if (step instanceof Step.Delete delete) {
        delete(RANGES.get(delete.range()));
      } else if (step instanceof Step.HoldOrRelease hold) {
        holdOrRelease(hold.slot());
      } else if (step instanceof Step.Kill) {
        reopen(disk.afterKill());
      } else if (step instanceof Step.PowerCut cut) {
        reopen(disk.afterPowerCut(new Random(cut.seed()), 0.5));
      }
    }

    /** On this thread, so that no merge or truncation runs concurrently with the next step. */
    private void checkpoint() {
      Partition partition = store.partitions().local().get(0);
      assertThat(partition.maintain()).isEmpty();
      List<String> findings = new ArrayList<>();
      try (CheckpointView view = partition.checkpoints()) {
        new PageCheck(view, findings::add).run();
      }
      assertThat(findings).isEmpty();
    }

    private OpenPair begin() {
      OpenPair begun = new OpenPair(store.begin(), twin.begin());
      points.add(new Point(begun.tested.snapshot(), begun.twin.snapshot()));
      return begun;
    }

    private static void end(@Nullable OpenPair ended) {
      if (ended != null) {
        ended.tested.close();
        ended.twin.close();
      }
    }

    private void delete(ScanOptions range) {
      DeleteRangeResult tested = store.deleteRange(range);
      DeleteRangeResult same = twin.deleteRange(range);
      assertThat(tested.deleted()).isEqualTo(same.deleted());
      assertThat(tested.kept()).isEqualTo(same.kept());
      points.add(new Point(tested.token(), same.token()));
    }

    private void execute(OpenPair slot, Step.Execute step) {
      Update update = update(step, slot.twin);
      slot.tested.update(update);
      slot.twin.update(update);
      Stream.concat(KEYS.stream(), QUESTIONS.stream())
          .forEach(
              query ->
                  assertThat((Object) slot.tested.read(query)).isEqualTo(slot.twin.read(query)));
      for (ScanOptions range : RANGES) {
        assertThat(objects(slot.tested.scan(range))).isEqualTo(objects(slot.twin.scan(range)));
      }
    }

    private static List<StoredObject> objects(Scan opened) {
      try (Scan scan = opened) {
        return scan.stream().toList();
      }
    }

    private static Update update(Step.Execute step, Reader seen) {
      String element = "e" + step.value();
      String words = "words ".repeat(6 * step.value());
      int position = Math.min(3 * step.value(), seen.read(TEXT.length()));
      int index = Math.min(step.value(), seen.read(LIST.size()));
      return switch (step.what()) {
        case 0 -> COUNTER.increment(step.value());
        case 1 -> REGISTER.assign(element);
        case 2 -> SET.remove(element);
        case 3 -> REMOVABLE.remove(element);
        case 4 -> REMOVABLE.add(element);
        case 5 -> step.value() == 0 ? SET.clear() : SET.addAll(List.of(element, "e0"));
        case 6 -> COUNTS.increment(element, step.value() - 1);
        case 7 -> TEXT.insert(position, "some " + element);
        case 8 -> TEXT.delete(position, Math.min(4, seen.read(TEXT.length()) - position));
        case 9 -> LIST.insert(index, element);
        case 10 -> LIST.delete(index, Math.min(1, seen.read(LIST.size()) - index));
        case 11 -> REGISTER.clear();
        case 12 -> register(MAP, element).assign(words);
        case 13 -> register(INNER, "e" + step.slot()).assign(words);
        case 14 -> MAP.remove(register(MAP, element));
        case 15 -> INNER.multiValueRegister("e", Codec.string()).assign(words);
        case 16 -> INNER.list("e", Codec.string()).insert(0, words);
        default -> SET.add(element);
      };
    }

    private void commit(OpenPair slot) {
      points.add(new Point(slot.tested.commit(), slot.twin.commit()));
    }

    private void holdOrRelease(int slot) {
      Pin held = pins.remove(slot);
      if (held != null) {
        held.close();
      } else {
        pins.put(slot, store.pin(store.status().times().stable()));
      }
    }

    private void release() {
      open.values().forEach(Run::end);
      open.clear();
      pins.values().forEach(Pin::close);
      pins.clear();
    }

    private void reopen(LossyDisk left) {
      release();
      // The old store continues with the old disk, like a process that does not know it is dead.
      store.close();
      disk = left;
      store = disk.open(options);
    }

    /** A status whose times violate an invariant of the report is refused at its creation. */
    void checkTimes() {
      StoreStatus.Times times = store.status().times();
      assertThat(times.lowWatermark().vector().isAtOrBefore(times.stable().vector())).isTrue();
    }

    void check() {
      CausalToken low = store.status().times().lowWatermark();
      for (Point point : points) {
        if (low.vector().isAtOrBefore(point.tested.vector())) {
          checkScans(point);
          checkQuestions(point);
        }
        for (Key<?> key : KEYS) {
          if (low.vector().isAtOrBefore(point.tested.vector())) {
            assertThat((Object) store.at(point.tested).read(key))
                .as("%s at %s", key, point.tested)
                .isEqualTo(replayed(key, point.twin));
          } else {
            assertThatThrownBy(() -> store.at(point.tested).read(key))
                .isInstanceOf(SnapshotTruncatedException.class);
          }
        }
      }
      pins.values()
          .forEach(pin -> assertThat(low.vector().isAtOrBefore(pin.token().vector())).isTrue());
      open.values()
          .forEach(
              slot ->
                  assertThat(low.vector().isAtOrBefore(slot.tested.snapshot().vector())).isTrue());
    }

    /** A scan finds the objects that differ from their initial state, in order. */
    private void checkScans(Point point) {
      NavigableMap<Bytes, Object> all = new TreeMap<>();
      for (Key<?> key : KEYS) {
        Object value = value(key.type(), state(key, point.twin), point.twin);
        if (!value.equals(value(key.type(), key.type().initial(), point.twin))) {
          all.put(key.id(), value);
        }
      }
      for (ScanOptions range : RANGES) {
        NavigableMap<Bytes, Object> part = all.subMap(range.fromId(), true, range.untilId(), false);
        List<Object> expected =
            (range.isDescending() ? part.descendingMap() : part)
                .values().stream().limit(range.limit()).toList();
        assertThat(objects(store.at(point.tested).scan(range)))
            .as("%s at %s", range, point.tested)
            .extracting(StoredObject::value)
            .isEqualTo(expected);
        assertThat(objects(store.at(point.tested).scan(range.keysOnly()))).hasSameSizeAs(expected);
      }
    }

    private void checkQuestions(Point point) {
      for (Query<?> question : QUESTIONS) {
        assertThat((Object) store.at(point.tested).read(question))
            .as("%s at %s", question, point.tested)
            .isEqualTo(question.view(state(question.target(), point.twin), point.twin.vector()));
      }
    }

    @SuppressWarnings("unchecked") // the state belongs to the type
    private static <S> Object value(CrdtType<S, ?, ?, ?> type, Object state, CausalToken token) {
      return type.value((S) state, token.vector());
    }

    private <V> V replayed(Key<V> key, CausalToken token) {
      return key.view(state(key, token), token.vector());
    }

    /** The twin's journal determines the state of an object, which never changes. */
    private Object state(Key<?> key, CausalToken token) {
      return replayed.computeIfAbsent(new ObjectAt(key, token), seen -> replay(key, token));
    }

    private Object replay(Key<?> key, CausalToken token) {
      return twin.partitions()
          .local()
          .get(0)
          .replay()
          .versionAt(key.id(), token.vector())
          .map(Version::state)
          .orElseGet(key.type()::initial);
    }

    @Override
    public void close() {
      store.close();
      twin.close();
    }
  }
}
