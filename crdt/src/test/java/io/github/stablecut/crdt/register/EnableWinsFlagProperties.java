package io.github.stablecut.crdt.register;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.register.EnableWinsFlag.Operation;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** An enable-wins flag: there is an enabling that no disabling or reset has seen. */
public class EnableWinsFlagProperties
    extends Specification<EnableWinsFlag.State, Operation, EnableWinsFlag.Effect, Boolean> {
  @Override
  public EnableWinsFlag type() {
    return EnableWinsFlag.TYPE;
  }

  @Override
  public List<Operation> sample() {
    return List.of(Operation.ENABLE, Operation.RESET, Operation.DISABLE, Operation.ENABLE);
  }

  @Override
  public Arbitrary<Operation> operations() {
    return Arbitraries.of(Operation.values());
  }

  @Override
  public Boolean value(Events<Operation> visible, VectorClock snapshot) {
    return visible
        .notFollowedBy(later -> later != Operation.ENABLE)
        .operations()
        .anyMatch(operation -> operation == Operation.ENABLE);
  }

  @Override
  public int maxBytes(Events<Operation> visible, VectorClock frontier) {
    return Samples.COUNT_BYTES
        + (value(visible, frontier) ? Samples.dotsBytes(Samples.newest(visible)) : 0);
  }
}
