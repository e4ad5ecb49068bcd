package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.AddWinsSetKey;
import io.github.stablecut.CausalToken;
import io.github.stablecut.CounterKey;
import io.github.stablecut.Key;
import io.github.stablecut.RegisterKey;
import io.github.stablecut.StoreOptions;
import io.github.stablecut.Transaction;
import io.github.stablecut.Update;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.VersionSource;
import io.github.stablecut.journal.LossySegments;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Random histories of interleaved transactions, kills and power cuts. After each step every object
 * at every snapshot ever seen is what the replay of the whole journal says, and counter and
 * register are what plain Java says.
 */
final class OracleProperties {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final RegisterKey<String> REGISTER = Key.register("b", "register", Codec.string());
  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "set", Codec.string());
  private static final List<Key<?>> KEYS = List.of(COUNTER, REGISTER, SET);

  private static final int SLOTS = 3;

  /** One step of a history. */
  sealed interface Step {
    record Begin(int slot) implements Step {}

    record Execute(int slot, int what, int value) implements Step {}

    record Commit(int slot) implements Step {}

    record Abort(int slot) implements Step {}

    record Kill() implements Step {}

    record PowerCut(int seed) implements Step {}
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    Arbitrary<Integer> slot = Arbitraries.integers().between(0, SLOTS - 1);
    Arbitrary<Integer> small = Arbitraries.integers().between(0, 4);
    return Arbitraries.<Step>frequencyOf(
            Tuple.of(4, slot.map(Step.Begin::new)),
            Tuple.of(10, Combinators.combine(slot, small, small).as(Step.Execute::new)),
            Tuple.of(5, slot.map(Step.Commit::new)),
            Tuple.of(1, slot.map(Step.Abort::new)),
            Tuple.of(1, Arbitraries.create(Step.Kill::new)),
            Tuple.of(1, Arbitraries.integers().map(Step.PowerCut::new)))
        .list()
        .ofMaxSize(60);
  }

  @Property(tries = 300)
  void everySnapshotIsWhatTheReplayOfTheJournalSays(
      @ForAll("histories") List<Step> history, @ForAll boolean effectsInMemory) {
    try (Run run = new Run(effectsInMemory)) {
      for (Step step : history) {
        run.take(step);
        run.check();
      }
    }
  }

  /** What counter and register are at a snapshot. */
  private record Plain(long counter, Optional<String> register) {}

  /** What a transaction in a slot has done so far. */
  private static final class Open {
    private final Transaction transaction;
    private final Plain seen;
    private long added;
    private Optional<String> assigned = Optional.empty();

    Open(Transaction transaction, Plain seen) {
      this.transaction = transaction;
      this.seen = seen;
    }
  }

  private static final class Run implements AutoCloseable {
    private final StoreOptions options;
    private final Map<Integer, Open> open = new HashMap<>();
    private final List<CausalToken> snapshots = new ArrayList<>();
    private final Map<VectorClock, Plain> expected = new HashMap<>();
    private LossySegments segments = new LossySegments();
    private EmbeddedStore store;
    private Plain newest = new Plain(0, Optional.empty());

    Run(boolean effectsInMemory) {
      StoreOptions.Limits limits = StoreOptions.Limits.defaults().withReserveBytes(0);
      options =
          StoreOptions.defaults().withLimits(effectsInMemory ? limits : limits.withEffectBytes(0));
      store = EmbeddedStore.open(segments, options);
    }

    void take(Step step) {
      if (step instanceof Step.Begin begin) {
        Open before = open.put(begin.slot(), begin());
        if (before != null) {
          before.transaction.close();
        }
      } else if (step instanceof Step.Execute execute) {
        Optional.ofNullable(open.get(execute.slot())).ifPresent(slot -> execute(slot, execute));
      } else if (step instanceof Step.Commit commit) {
        Optional.ofNullable(open.remove(commit.slot())).ifPresent(this::commit);
      } else if (step instanceof Step.Abort abort) {
        Optional.ofNullable(open.remove(abort.slot())).ifPresent(slot -> slot.transaction.abort());
      } else if (step instanceof Step.Kill) {
        reopen(segments.afterKill());
      } else if (step instanceof Step.PowerCut cut) {
        Random random = new Random(cut.seed());
        reopen(segments.afterPowerCut((segment, page) -> random.nextBoolean()));
      }
    }

    private Open begin() {
      Transaction transaction = store.begin();
      remember(transaction.snapshot());
      return new Open(transaction, newest);
    }

    private void remember(CausalToken token) {
      snapshots.add(token);
      expected.put(token.vector(), newest);
    }

    private void execute(Open slot, Step.Execute step) {
      slot.transaction.update(update(slot, step));
      Plain seen =
          new Plain(slot.seen.counter + slot.added, slot.assigned.or(() -> slot.seen.register));
      assertThat(slot.transaction.read(COUNTER)).isEqualTo(seen.counter);
      assertThat(slot.transaction.read(REGISTER)).isEqualTo(seen.register);
    }

    private static Update update(Open slot, Step.Execute step) {
      String element = "e" + step.value();
      return switch (step.what()) {
        case 0 -> {
          slot.added += step.value();
          yield COUNTER.increment(step.value());
        }
        case 1 -> {
          slot.assigned = Optional.of(element);
          yield REGISTER.assign(element);
        }
        case 2 -> SET.remove(element);
        case 3 -> step.value() == 0 ? SET.clear() : SET.addAll(List.of(element, "e0"));
        default -> SET.add(element);
      };
    }

    private void commit(Open slot) {
      CausalToken token = slot.transaction.commit();
      if (token.equals(slot.transaction.snapshot())) {
        return; // it had no updates
      }
      newest = new Plain(newest.counter + slot.added, slot.assigned.or(() -> newest.register));
      remember(token);
    }

    private void reopen(LossySegments left) {
      open.clear();
      // The old store goes on with the old segments, as a process does that does not know it is
      // dead.
      store.close();
      segments = left;
      store = EmbeddedStore.open(segments, options);
    }

    void check() {
      VersionSource replay = store.partition().replay();
      for (CausalToken token : snapshots) {
        Plain plain = expected.get(token.vector());
        if (plain == null) {
          throw new AssertionError("no expectation for " + token);
        }
        assertThat(store.at(token).read(COUNTER)).isEqualTo(plain.counter);
        assertThat(store.at(token).read(REGISTER)).isEqualTo(plain.register);
        for (Key<?> key : KEYS) {
          assertThat(state(store.partition()::versionAt, key, token))
              .as("%s at %s", key, token)
              .isEqualTo(state(replay, key, token));
        }
      }
    }

    private static Object state(VersionSource source, Key<?> key, CausalToken token) {
      return source
          .versionAt(key.id(), token.vector())
          .map(Version::state)
          .orElseGet(key.type()::initial);
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
