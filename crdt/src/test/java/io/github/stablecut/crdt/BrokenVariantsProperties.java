package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.AddWinsSet.Change;
import io.github.stablecut.crdt.LwwRegister.Assigned;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.RandomGenerator;

/**
 * The harness sees faults: each type here has one that is easily made, and a history within the
 * ordinary number of tries shows it.
 */
class BrokenVariantsProperties {
  private static final int RUNS = 5;

  /** Fails unless the ordinary number of random histories catches a type, whatever the seed. */
  static <S, O, E, V> void assertCaught(
      Specification<S, O, E, V> specification, CrdtType<S, O, E, V> broken) {
    RandomGenerator<List<Step<O>>> histories =
        specification.histories().generator(Specification.TRIES, false);
    for (int seed = 0; seed < RUNS; seed++) {
      Random random = new Random(seed);
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < Specification.TRIES; i++) {
                  new World<>(specification, broken).run(histories.next(random).value());
                }
              })
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("breaks a law");
    }
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
              LwwRegister.State state, Assigned effect, EffectOrigin origin) {
            boolean keeps =
                state.winner().isPresent()
                    && state.winner().get().value().compareTo(effect.value()) > 0;
            return keeps
                ? state
                : LwwRegister.TYPE.apply(LwwRegister.TYPE.initial(), effect, origin);
          }
        });
  }

  @Example
  void catchesARegisterThatTakesWhatComesLast() {
    assertCaught(
        new LwwRegisterProperties(),
        new Variant<>(LwwRegister.TYPE) {
          @Override
          public LwwRegister.State apply(
              LwwRegister.State state, Assigned effect, EffectOrigin origin) {
            return LwwRegister.TYPE.apply(LwwRegister.TYPE.initial(), effect, origin);
          }
        });
  }

  @Example
  void catchesARemovalThatIgnoresWhatWasObserved() {
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
  void catchesAnAdditionThatForgetsWhatItReplaces() {
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
  void catchesDotsOfTheOwnTransactionThatAreNotResolved() {
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
  void catchesACounterThatStopsAtTheGreatestNumber() {
    assertCaught(
        new PnCounterProperties(),
        new Variant<>(PnCounter.TYPE) {
          @Override
          public Long apply(Long state, PnCounter.Add effect, EffectOrigin origin) {
            return Math.addExact(state, effect.amount());
          }
        });
  }
}
