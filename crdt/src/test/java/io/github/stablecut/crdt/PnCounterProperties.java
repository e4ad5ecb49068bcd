package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.PnCounter.Add;
import java.util.List;
import net.jqwik.api.Arbitrary;

/** A counter: the sum of all amounts. */
class PnCounterProperties extends Specification<Number, Add, Add, Long> {
  @Override
  PnCounter type() {
    return PnCounter.TYPE;
  }

  @Override
  List<Add> sample() {
    return List.of(new Add(5), new Add(-7));
  }

  @Override
  Arbitrary<Add> operations() {
    return Samples.amounts().map(Add::new);
  }

  @Override
  Long value(Events<Add> visible, VectorClock snapshot) {
    return visible.operations().mapToLong(Add::amount).sum();
  }

  @Override
  int maxBytes(Events<Add> visible, VectorClock frontier) {
    return 12;
  }
}
