package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.counter.FatCounter;
import io.github.stablecut.crdt.counter.FatCounterProperties;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import io.github.stablecut.crdt.set.RemoveWinsSetProperties;
import java.util.function.IntFunction;
import net.jqwik.api.Example;

/**
 * The engine's rules for types that prune (protocol.md 5.1) are necessary: without each of them
 * some history shows a wrong value.
 */
class BrokenRulesProperties {
  private static <S, O, E, V> void assertCaught(
      Specification<S, O, E, V> specification, IntFunction<Replica<S, O, E, V>> replicas) {
    BrokenVariantsProperties.assertCaught(
        specification,
        () -> new World<>(specification, specification.type(), replicas),
        0,
        20 * Specification.TRIES);
  }

  @Example
  void catchesAFrontierAboveTheSnapshotsOfTheTail() {
    assertCaught(
        new RemoveWinsSetProperties(),
        number ->
            new Replica<>(number, RemoveWinsSet.TYPE) {
              @Override
              VectorClock tail(VectorClock vector) {
                return now;
              }
            });
  }

  @Example
  void catchesAFrontierWithAnEventAndWithoutItsCauses() {
    assertCaught(
        new FatCounterProperties(),
        number ->
            new Replica<>(number, FatCounter.TYPE) {
              @Override
              VectorClock closed(VectorClock frontier) {
                return frontier;
              }
            });
  }

  @Example
  void catchesAFrontierThatIsDroppedWithItsObject() {
    assertCaught(
        new RemoveWinsSetProperties(),
        number ->
            new Replica<>(number, RemoveWinsSet.TYPE) {
              @Override
              VectorClock frontierOf(Run<RemoveWinsSet.State> run) {
                return run.state().elements().isEmpty() ? VectorClock.ZERO : run.frontier();
              }
            });
  }
}
