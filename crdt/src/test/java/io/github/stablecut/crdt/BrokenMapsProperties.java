package io.github.stablecut.crdt;

import static io.github.stablecut.crdt.BrokenVariantsProperties.assertCaught;
import static io.github.stablecut.crdt.BrokenVariantsProperties.withoutFrontier;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.internal.state.DotSet;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.map.RecursiveResetMap.Batch;
import io.github.stablecut.crdt.map.RecursiveResetMap.Change;
import io.github.stablecut.crdt.map.RecursiveResetMap.Effect;
import io.github.stablecut.crdt.map.RecursiveResetMap.Operation;
import io.github.stablecut.crdt.map.RecursiveResetMap.State;
import io.github.stablecut.crdt.map.RecursiveResetMapProperties;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Example;

/** The harness detects faults of maps and of expiring objects. */
class BrokenMapsProperties {
  @Example
  void catchesPresenceByBottom() {
    assertCaught(
        new RecursiveResetMapProperties(),
        new Variant<>(RecursiveResetMap.TYPE) {
          @Override
          public Map<MapKey<?, ?>, Object> value(State state, VectorClock snapshot) {
            Map<MapKey<?, ?>, Object> shown =
                new HashMap<>(RecursiveResetMap.TYPE.value(state, snapshot));
            shown
                .entrySet()
                .removeIf(entry -> isBottom(entry.getKey().type(), entry.getValue(), snapshot));
            return shown;
          }

          private <S> boolean isBottom(
              CrdtType<S, ?, ?, ?> type, Object value, VectorClock snapshot) {
            return value.equals(type.value(type.initial(), snapshot));
          }
        });
  }

  @Example
  void catchesARemovalThatKeepsTheObject() {
    assertCaught(
        new RecursiveResetMapProperties(),
        new Variant<>(RecursiveResetMap.TYPE) {
          @Override
          public Effect downstream(Operation operation, State state, OperationContext context) {
            Effect effect = RecursiveResetMap.TYPE.downstream(operation, state, context);
            return new Effect(
                effect.changes().stream()
                    .<Change<?, ?>>map(change -> withoutReset(change, context))
                    .toList());
          }

          private <S, E> Change<S, E> withoutReset(Change<S, E> change, OperationContext context) {
            CrdtType<S, ?, E, ?> type = change.type();
            E nothing = type.downstreamReset(type.initial(), context).orElseThrow();
            return change.added().isPresent()
                ? change
                : new Change<>(change.place(), type, change.observed(), Optional.empty(), nothing);
          }
        });
  }

  @Example
  void catchesABatchWhosePartsDontSeeEachOther() {
    assertCaught(
        new RecursiveResetMapProperties(),
        new Variant<>(RecursiveResetMap.TYPE) {
          @Override
          public Effect downstream(Operation operation, State state, OperationContext context) {
            List<Operation> parts =
                operation instanceof Batch batch ? List.copyOf(batch.parts()) : List.of(operation);
            List<Change<?, ?>> changes = new ArrayList<>();
            for (Operation part : parts) {
              changes.addAll(RecursiveResetMap.TYPE.downstream(part, state, context).changes());
            }
            return new Effect(changes);
          }
        });
  }

  @Example
  void catchesAMapWithoutAFrontier() {
    assertCaught(new RecursiveResetMapProperties(), withoutFrontier(RecursiveResetMap.TYPE));
  }

  @Example
  void catchesAnExpiredObjectThatReturns() {
    assertCaught(
        new ExpiringProperties(),
        new Variant<>(new ExpiringProperties().type()) {
          @Override
          public Expiring.Effect<Object> downstream(
              Expiring.Operation<Object> operation,
              Expiring.State<Object> state,
              OperationContext context) {
            OperationContext before =
                new OperationContext(context.dataCentre(), VectorClock.ZERO, context.dots());
            return super.downstream(
                operation, state, operation instanceof Expiring.Update ? before : context);
          }
        });
  }

  @Example
  void catchesAnExpiredObjectThatIsPrunedTooEarly() {
    assertCaught(
        new ExpiringProperties(),
        new Variant<>(new ExpiringProperties().type()) {
          @Override
          public Expiring.State<Object> prune(Expiring.State<Object> state, VectorClock frontier) {
            Expiring.State<Object> asIfStable =
                new Expiring.State<>(DotSet.EMPTY, state.deadlines(), state.object());
            return super.prune(asIfStable, frontier).equals(initial())
                ? initial()
                : super.prune(state, frontier);
          }
        });
  }

  @Example
  void catchesAnObjectThatOnlySomeReplicasHavePruned() {
    assertCaught(new ExpiringProperties(), withoutFrontier(new ExpiringProperties().type()));
  }
}
