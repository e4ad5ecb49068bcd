package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.counter.BoundedCounterProperties;
import io.github.stablecut.crdt.counter.FatCounter;
import io.github.stablecut.crdt.counter.FatCounterProperties;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.counter.PnCounterProperties;
import io.github.stablecut.crdt.internal.state.DotSet;
import io.github.stablecut.crdt.internal.state.Votes;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import io.github.stablecut.crdt.map.CounterMap;
import io.github.stablecut.crdt.map.CounterMapProperties;
import io.github.stablecut.crdt.register.DisableWinsFlag;
import io.github.stablecut.crdt.register.DisableWinsFlagProperties;
import io.github.stablecut.crdt.register.EnableWinsFlag;
import io.github.stablecut.crdt.register.EnableWinsFlagProperties;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.register.LwwRegister.Write;
import io.github.stablecut.crdt.register.LwwRegisterProperties;
import io.github.stablecut.crdt.register.MvRegister;
import io.github.stablecut.crdt.register.MvRegisterProperties;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.crdt.set.AddWinsSet.Change;
import io.github.stablecut.crdt.set.AddWinsSetProperties;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import io.github.stablecut.crdt.set.RemoveWinsSetProperties;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import net.jqwik.api.Example;
import net.jqwik.api.RandomGenerator;

/**
 * The harness detects faults: each type here has a common one, and a history within the ordinary
 * number of tries reveals it.
 */
public class BrokenVariantsProperties {
  private static final int RUNS = 5;

  /** Fails unless the ordinary number of random histories catches a type, whatever the seed. */
  public static <S, O, E, V> void assertCaught(
      Specification<S, O, E, V> specification, CrdtType<S, O, E, V> broken) {
    for (int seed = 0; seed < RUNS; seed++) {
      assertCaught(
          specification, () -> new World<>(specification, broken), seed, Specification.TRIES);
    }
  }

  /** Fails unless a number of random histories in some world breaks a law. */
  public static <S, O, E, V> void assertCaught(
      Specification<S, O, E, V> specification,
      Supplier<World<S, O, E, V>> world,
      int seed,
      int tries) {
    Random random = new Random(seed);
    RandomGenerator<List<Step<O>>> histories = specification.histories().generator(tries);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < tries; i++) {
                world.get().run(histories.next(random).value());
              }
            })
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("breaks a law");
  }

  @Example
  void letsASoundTypePass() {
    assertThatThrownBy(
            () -> assertCaught(new AddWinsSetProperties(), new Variant<>(AddWinsSet.TYPE)))
        .hasMessageContaining("Expecting code to raise");
  }

  @Example
  void catchesARegisterWhoseGreaterValueWins() {
    assertCaught(
        new LwwRegisterProperties(),
        new Variant<>(LwwRegister.TYPE) {
          @Override
          public LwwRegister.State apply(
              LwwRegister.State state, Write effect, EffectOrigin origin) {
            boolean keeps =
                state.winner().isPresent()
                    && text(state.winner().get()).compareTo(text(effect)) > 0;
            return keeps
                ? state
                : LwwRegister.TYPE.apply(LwwRegister.TYPE.initial(), effect, origin);
          }
        });
  }

  private static Bytes text(Write write) {
    return write.value().orElse(Bytes.EMPTY);
  }

  @Example
  void catchesARegisterWhoseLastArrivalWins() {
    assertCaught(
        new LwwRegisterProperties(),
        new Variant<>(LwwRegister.TYPE) {
          @Override
          public LwwRegister.State apply(
              LwwRegister.State state, Write effect, EffectOrigin origin) {
            return LwwRegister.TYPE.apply(LwwRegister.TYPE.initial(), effect, origin);
          }
        });
  }

  @Example
  void catchesARemovalThatIgnoresItsObservations() {
    assertCaught(
        new AddWinsSetProperties(),
        new Variant<>(AddWinsSet.TYPE) {
          @Override
          public AddWinsSet.State apply(
              AddWinsSet.State state, AddWinsSet.Effect effect, EffectOrigin origin) {
            PersistentMap<Bytes, DotSet> elements = state.elements();
            for (Change change : effect.changes()) {
              elements = change.added().isEmpty() ? elements.without(change.element()) : elements;
            }
            return AddWinsSet.TYPE.apply(new AddWinsSet.State(elements), effect, origin);
          }
        });
  }

  @Example
  void catchesAnAdditionThatDoesNotReplace() {
    assertCaught(
        new AddWinsSetProperties(),
        new Variant<>(AddWinsSet.TYPE) {
          @Override
          public AddWinsSet.Effect downstream(
              AddWinsSet.Operation operation, AddWinsSet.State state, OperationContext context) {
            AddWinsSet.State seen =
                operation instanceof AddWinsSet.Add ? AddWinsSet.TYPE.initial() : state;
            return AddWinsSet.TYPE.downstream(operation, seen, context);
          }
        });
  }

  @Example
  void catchesUnresolvedDotsOfTheOwnTransaction() {
    assertCaught(
        new AddWinsSetProperties(),
        new Variant<>(AddWinsSet.TYPE) {
          @Override
          public AddWinsSet.State apply(
              AddWinsSet.State state, AddWinsSet.Effect effect, EffectOrigin origin) {
            EffectOrigin open = EffectOrigin.uncommitted(origin.pruneFrontier());
            return AddWinsSet.TYPE.apply(state, effect, open);
          }
        });
  }

  @Example
  void catchesACounterWithAnUpperLimit() {
    assertCaught(
        new PnCounterProperties(),
        new Variant<>(PnCounter.TYPE) {
          @Override
          public Number apply(Number state, PnCounter.Add effect, EffectOrigin origin) {
            return Math.min(1L << 40, state.longValue() + effect.amount());
          }
        });
  }

  @Example
  void catchesAResetThatDropsConcurrentAdditions() {
    assertCaught(
        new FatCounterProperties(),
        new Variant<>(FatCounter.TYPE) {
          @Override
          public FatCounter.State apply(
              FatCounter.State state, FatCounter.Effect effect, EffectOrigin origin) {
            return effect instanceof FatCounter.Cancelled
                ? FatCounter.TYPE.initial()
                : FatCounter.TYPE.apply(state, effect, origin);
          }
        });
  }

  @Example
  void catchesAResettableCounterWithoutAFrontier() {
    assertCaught(new FatCounterProperties(), withoutFrontier(FatCounter.TYPE));
  }

  @Example
  void catchesARemoveWinsSetWithoutAFrontier() {
    assertCaught(new RemoveWinsSetProperties(), withoutFrontier(RemoveWinsSet.TYPE));
  }

  @Example
  void catchesADisableWinsFlagWithoutAFrontier() {
    assertCaught(new DisableWinsFlagProperties(), withoutFrontier(DisableWinsFlag.TYPE));
  }

  static <S, O, E, V> CrdtType<S, O, E, V> withoutFrontier(CrdtType<S, O, E, V> type) {
    return new Variant<>(type) {
      @Override
      public S apply(S state, E effect, EffectOrigin origin) {
        EffectOrigin without =
            new EffectOrigin(origin.dataCentre(), origin.commitTime(), VectorClock.ZERO);
        return type.apply(state, effect, without);
      }
    };
  }

  @Example
  void catchesStableRemovalsThatAreDroppedBeforeAnAddition() {
    assertCaught(
        new RemoveWinsSetProperties(),
        new Variant<>(RemoveWinsSet.TYPE) {
          @Override
          public RemoveWinsSet.State prune(RemoveWinsSet.State state, VectorClock frontier) {
            PersistentMap<Bytes, Votes> elements = state.elements();
            for (Map.Entry<Bytes, Votes> entry : state.elements()) {
              Votes votes = entry.getValue();
              DotSet no =
                  votes.no().allMatch(dot -> dot.isAtOrBefore(frontier))
                      ? DotSet.EMPTY
                      : votes.no();
              Votes kept = new Votes(votes.yes(), no);
              elements =
                  kept.isEmpty()
                      ? elements.without(entry.getKey())
                      : elements.with(entry.getKey(), kept);
            }
            return new RemoveWinsSet.State(elements);
          }
        });
  }

  @Example
  void catchesRemovalsThatAreNeverPruned() {
    assertCaught(
        new RemoveWinsSetProperties(),
        new Variant<>(RemoveWinsSet.TYPE) {
          @Override
          public RemoveWinsSet.State prune(RemoveWinsSet.State state, VectorClock frontier) {
            return state;
          }
        });
  }

  @Example
  void catchesAnAssignmentThatDropsConcurrentOnes() {
    assertCaught(
        new MvRegisterProperties(),
        new Variant<>(MvRegister.TYPE) {
          @Override
          public MvRegister.State apply(
              MvRegister.State state, MvRegister.Effect effect, EffectOrigin origin) {
            MvRegister.State before =
                effect.assigned().isPresent() ? MvRegister.TYPE.initial() : state;
            return MvRegister.TYPE.apply(before, effect, origin);
          }
        });
  }

  @Example
  void catchesAFlagWhoseConcurrentDisablingWins() {
    assertCaught(
        new EnableWinsFlagProperties(),
        new Variant<>(EnableWinsFlag.TYPE) {
          @Override
          public EnableWinsFlag.State apply(
              EnableWinsFlag.State state, EnableWinsFlag.Effect effect, EffectOrigin origin) {
            EnableWinsFlag.State before =
                effect.enabled().isEmpty() ? EnableWinsFlag.TYPE.initial() : state;
            return EnableWinsFlag.TYPE.apply(before, effect, origin);
          }
        });
  }

  @Example
  void catchesDoublySpentRights() {
    assertCaught(
        new BoundedCounterProperties(),
        new Variant<>(BoundedCounter.TYPE) {
          @Override
          public boolean needsCertification(BoundedCounter.Operation operation) {
            return false;
          }
        });
  }

  @Example
  void catchesRightsCreatedByATransferToTheSameDataCentre() {
    assertCaught(
        new BoundedCounterProperties(),
        new Variant<>(BoundedCounter.TYPE) {
          @Override
          public BoundedCounter.State apply(
              BoundedCounter.State state, BoundedCounter.Effect effect, EffectOrigin origin) {
            BoundedCounter.Effect taken =
                effect instanceof BoundedCounter.Moved moved
                        && moved.direction().from() == moved.direction().to()
                    ? new BoundedCounter.Added(moved.direction().to(), moved.amount())
                    : effect;
            return BoundedCounter.TYPE.apply(state, taken, origin);
          }
        });
  }

  @Example
  void catchesACounterThatVanishesWhenItsSumIsZero() {
    assertCaught(
        new CounterMapProperties(),
        new Variant<>(CounterMap.TYPE) {
          @Override
          public CounterMap.State prune(CounterMap.State state, VectorClock frontier) {
            PersistentMap<Bytes, Number> counters = state.counters();
            for (Map.Entry<Bytes, Number> counter : state.counters()) {
              counters =
                  counter.getValue().equals(0L) ? counters.without(counter.getKey()) : counters;
            }
            return new CounterMap.State(counters);
          }
        });
  }
}
