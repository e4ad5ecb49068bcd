package io.github.stablecut.internal.transaction;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Pin;
import io.github.stablecut.Scan;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.StoredObject;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.RemoveWinsSetKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
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
 * One contract, any arrangement: random histories of interleaved transactions, checkpoints,
 * truncation, kills and power cuts. After steps every object at every snapshot that is kept is what
 * the replay of the whole journal says, and snapshots that are not kept are refused.
 *
 * <p>The journal of the store under test is truncated, so the replay is that of a twin: a store
 * that does the same transactions, makes no checkpoint and never crashes.
 */
final class OracleProperties {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final RegisterKey<String> REGISTER = Key.register("b", "register", Codec.string());
  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "set", Codec.string());

  /** Pruned too early, it forgets removals that a concurrent addition loses against. */
  private static final RemoveWinsSetKey<String> REMOVABLE =
      Key.removeWinsSet("b", "removable", Codec.string());

  private static final List<Key<?>> KEYS = List.of(COUNTER, REGISTER, REMOVABLE, SET);

  private static final int SLOTS = 3;

  /** One step of a history. */
  sealed interface Step {
    record Begin(int slot) implements Step {}

    record Execute(int slot, int what, int value) implements Step {}

    record Commit(int slot) implements Step {}

    record Abort(int slot) implements Step {}

    record Checkpoint() implements Step {}

    /** Nobody needs the past any more, and it is forgotten. */
    record Forget() implements Step {}

    record HoldOrLetGo(int slot) implements Step {}

    record Kill() implements Step {}

    record PowerCut(int seed) implements Step {}
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    Arbitrary<Integer> slot = Arbitraries.integers().between(0, SLOTS - 1);
    Arbitrary<Integer> what = Arbitraries.integers().between(0, 6);
    Arbitrary<Integer> small = Arbitraries.integers().between(0, 4);
    return Arbitraries.<Step>frequencyOf(
            Tuple.of(4, slot.map(Step.Begin::new)),
            Tuple.of(10, Combinators.combine(slot, what, small).as(Step.Execute::new)),
            Tuple.of(6, slot.map(Step.Commit::new)),
            Tuple.of(1, slot.map(Step.Abort::new)),
            Tuple.of(3, Arbitraries.create(Step.Checkpoint::new)),
            Tuple.of(1, Arbitraries.create(Step.Forget::new)),
            Tuple.of(2, slot.map(Step.HoldOrLetGo::new)),
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

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void everySnapshotIsWhatTheReplayOfTheJournalSays(
      @ForAll("histories") List<Step> history,
      @ForAll("indexes") IndexOptions index,
      @ForAll("caches") CacheOptions cache,
      @ForAll boolean effectsInMemory,
      @ForAll boolean readsOften,
      @ForAll boolean truncates) {
    StoreOptions options =
        StoreOptions.defaults()
            .withIndex(index)
            .withCache(cache)
            .withExecutor(Runnable::run)
            .withLimits(effectsInMemory ? LossyDisk.LIMITS : LossyDisk.LIMITS.withEffectBytes(0))
            .withCheckpoints(
                truncates
                    ? CheckpointPolicy.byCall().withRetention(Duration.ZERO)
                    : CheckpointPolicy.byCall().withEndlessRetention());
    try (Run run = new Run(options)) {
      for (Step step : history) {
        run.take(step);
        run.checkTimes();
        // What is read after each commit is cached as of each commit, which hides much.
        if (readsOften || step instanceof Step.HoldOrLetGo) {
          run.check();
        }
      }
      run.check();
    }
  }

  /** A transaction on the store under test, and the same one on the twin. */
  private record Open(Transaction tested, Transaction twin) {}

  /** The same point in both stores. */
  private record Point(CausalToken tested, CausalToken twin) {}

  private static final class Run implements AutoCloseable {
    private final StoreOptions options;
    private final EmbeddedStore twin;
    private final Map<Integer, Open> open = new HashMap<>();
    private final Map<Integer, Pin> pins = new HashMap<>();
    private final List<Point> points = new ArrayList<>();
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
      } else if (step instanceof Step.Forget) {
        letGo();
        checkpoint();
      } else if (step instanceof Step.HoldOrLetGo hold) {
        holdOrLetGo(hold.slot());
      } else if (step instanceof Step.Kill) {
        reopen(disk.afterKill());
      } else if (step instanceof Step.PowerCut cut) {
        reopen(disk.afterPowerCut(new Random(cut.seed()), 0.5));
      }
    }

    /** On this thread, so that nothing is merged or truncated beside the next step. */
    private void checkpoint() {
      assertThat(store.partitions().local().get(0).maintain()).isEmpty();
    }

    private Open begin() {
      Open begun = new Open(store.begin(), twin.begin());
      points.add(new Point(begun.tested.snapshot(), begun.twin.snapshot()));
      return begun;
    }

    private static void end(@Nullable Open ended) {
      if (ended != null) {
        ended.tested.close();
        ended.twin.close();
      }
    }

    private void execute(Open slot, Step.Execute step) {
      slot.tested.update(update(step));
      slot.twin.update(update(step));
      for (Key<?> key : KEYS) {
        assertThat((Object) slot.tested.read(key)).isEqualTo(slot.twin.read(key));
      }
    }

    private static Update update(Step.Execute step) {
      String element = "e" + step.value();
      return switch (step.what()) {
        case 0 -> COUNTER.increment(step.value());
        case 1 -> REGISTER.assign(element);
        case 2 -> SET.remove(element);
        case 3 -> REMOVABLE.remove(element);
        case 4 -> REMOVABLE.add(element);
        case 5 -> step.value() == 0 ? SET.clear() : SET.addAll(List.of(element, "e0"));
        default -> SET.add(element);
      };
    }

    private void commit(Open slot) {
      points.add(new Point(slot.tested.commit(), slot.twin.commit()));
    }

    private void holdOrLetGo(int slot) {
      Pin held = pins.remove(slot);
      if (held != null) {
        held.close();
      } else {
        pins.put(slot, store.pin(store.status().times().stable()));
      }
    }

    private void letGo() {
      open.values().forEach(Run::end);
      open.clear();
      pins.values().forEach(Pin::close);
      pins.clear();
    }

    private void reopen(LossyDisk left) {
      letGo();
      // The old store goes on with the old disk, as a process does that does not know it is dead.
      store.close();
      disk = left;
      store = disk.open(options);
    }

    /** A status whose times break an invariant of the report's is refused when it is made. */
    void checkTimes() {
      StoreStatus.Times times = store.status().times();
      assertThat(times.lowWatermark().vector().isAtOrBefore(times.stable().vector())).isTrue();
    }

    void check() {
      CausalToken low = store.status().times().lowWatermark();
      for (Point point : points) {
        if (low.vector().isAtOrBefore(point.tested.vector())) {
          checkScan(point);
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

    /** A scan finds the objects that are not as at first, in order. */
    private void checkScan(Point point) {
      Map<Bytes, Object> expected = new LinkedHashMap<>();
      for (Key<?> key : KEYS) {
        Object value = replayed(key, point.twin);
        if (!value.equals(key.view(key.type().initial(), point.twin.vector()))) {
          expected.put(key.key(), value);
        }
      }
      Map<Bytes, Object> found = new LinkedHashMap<>();
      try (Scan scan = store.at(point.tested).scan("b")) {
        scan.stream().forEach(object -> found.put(object.key(), view(object)));
      }
      assertThat(found).as("scan at %s", point.tested).containsExactlyEntriesOf(expected);
    }

    /** The value as a key with a codec shows it. */
    private static Object view(StoredObject object) {
      if (object.value() instanceof Set<?> set) {
        return set.stream()
            .map(element -> ((Bytes) element).toUtf8())
            .collect(toCollection(LinkedHashSet::new));
      }
      return object.value() instanceof Optional<?> register
          ? register.map(value -> ((Bytes) value).toUtf8())
          : object.value();
    }

    private <V> V replayed(Key<V> key, CausalToken token) {
      Object state =
          twin.partitions()
              .local()
              .get(0)
              .replay()
              .versionAt(key.id(), token.vector())
              .map(Version::state)
              .orElseGet(key.type()::initial);
      return key.view(state, token.vector());
    }

    @Override
    public void close() {
      store.close();
      twin.close();
    }
  }
}
