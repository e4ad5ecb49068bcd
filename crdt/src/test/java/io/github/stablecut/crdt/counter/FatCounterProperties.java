package io.github.stablecut.crdt.counter;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.counter.FatCounter.Add;
import io.github.stablecut.crdt.counter.FatCounter.Effect;
import io.github.stablecut.crdt.counter.FatCounter.Operation;
import io.github.stablecut.crdt.counter.FatCounter.Reset;
import io.github.stablecut.crdt.counter.FatCounter.State;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;

/** A resettable counter: the sum of the additions that no reset has seen. */
public class FatCounterProperties extends Specification<State, Operation, Effect, Long> {
  @Override
  public FatCounter type() {
    return FatCounter.TYPE;
  }

  @Override
  public List<Operation> sample() {
    return List.of(new Add(3), new Reset(), new Add(4), new Add(-1));
  }

  @Override
  public Arbitrary<Operation> operations() {
    return Arbitraries.frequencyOf(
        Tuple.of(4, Samples.amounts().map(Add::new)), Tuple.of(1, Arbitraries.of(new Reset())));
  }

  @Override
  public Long value(Events<Operation> visible, VectorClock snapshot) {
    return visible
        .notFollowedBy(Reset.class::isInstance)
        .operations()
        .mapToLong(operation -> operation instanceof Add add ? add.amount() : 0)
        .sum();
  }

  @Override
  public int maxBytes(Events<Operation> visible, VectorClock frontier) {
    return 2 + 1 + 10 + 1;
  }
}
