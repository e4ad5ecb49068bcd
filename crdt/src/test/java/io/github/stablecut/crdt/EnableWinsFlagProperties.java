package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EnableWinsFlag.Operation;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** An enable-wins flag: there is an enabling that no disabling or reset has seen. */
class EnableWinsFlagProperties
    extends Specification<EnableWinsFlag.State, Operation, EnableWinsFlag.Effect, Boolean> {
  @Override
  EnableWinsFlag type() {
    return EnableWinsFlag.TYPE;
  }

  @Override
  List<Operation> sample() {
    return List.of(Operation.ENABLE, Operation.RESET, Operation.DISABLE, Operation.ENABLE);
  }

  @Override
  Arbitrary<Operation> operations() {
    return Arbitraries.of(Operation.values());
  }

  @Override
  Boolean value(Events<Operation> visible, VectorClock snapshot) {
    return visible
        .notFollowedBy(later -> later != Operation.ENABLE)
        .operations()
        .anyMatch(operation -> operation == Operation.ENABLE);
  }

  @Override
  int maxBytes(Events<Operation> visible, VectorClock frontier) {
    return Samples.COUNT_BYTES
        + (value(visible, frontier) ? Samples.dotsBytes(Samples.newest(visible)) : 0);
  }
}
