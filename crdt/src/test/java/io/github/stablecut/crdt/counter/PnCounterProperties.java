package io.github.stablecut.crdt.counter;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.counter.PnCounter.Add;
import java.util.List;
import net.jqwik.api.Arbitrary;

/** A counter: the sum of all amounts. */
public class PnCounterProperties extends Specification<Number, Add, Add, Long> {
  @Override
  public PnCounter type() {
    return PnCounter.TYPE;
  }

  @Override
  public List<Add> sample() {
    return List.of(new Add(5), new Add(-7));
  }

  @Override
  public Arbitrary<Add> operations() {
    return Samples.amounts().map(Add::new);
  }

  @Override
  public Long value(Events<Add> visible, VectorClock snapshot) {
    return visible.operations().mapToLong(Add::amount).sum();
  }

  @Override
  public int maxBytes(Events<Add> visible, VectorClock frontier) {
    return 12;
  }
}
