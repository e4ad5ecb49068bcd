package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.FatCounter.Add;
import io.github.stablecut.crdt.FatCounter.Effect;
import io.github.stablecut.crdt.FatCounter.Operation;
import io.github.stablecut.crdt.FatCounter.Reset;
import io.github.stablecut.crdt.FatCounter.State;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;

/** A resettable counter: the sum of the additions that no reset has seen. */
class FatCounterProperties extends Specification<State, Operation, Effect, Long> {
  @Override
  FatCounter type() {
    return FatCounter.TYPE;
  }

  @Override
  List<Operation> sample() {
    return List.of(new Add(3), new Reset(), new Add(4), new Add(-1));
  }

  @Override
  Arbitrary<Operation> operations() {
    return Arbitraries.frequencyOf(
        Tuple.of(4, Samples.amounts().map(Add::new)), Tuple.of(1, Arbitraries.of(new Reset())));
  }

  @Override
  Long value(Events<Operation> visible, VectorClock snapshot) {
    return visible
        .notFollowedBy(Reset.class::isInstance)
        .operations()
        .mapToLong(operation -> operation instanceof Add add ? add.amount() : 0)
        .sum();
  }

  @Override
  int maxBytes(Events<Operation> visible, VectorClock frontier) {
    return 2 + 1 + 10 + 1;
  }
}
