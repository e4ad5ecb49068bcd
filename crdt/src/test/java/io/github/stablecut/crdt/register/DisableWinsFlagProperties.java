package io.github.stablecut.crdt.register;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.register.DisableWinsFlag.Operation;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/**
 * A disable-wins flag: of the events that no reset has seen, there is an enabling, and each
 * disabling was seen by an enabling.
 */
public class DisableWinsFlagProperties
    extends Specification<DisableWinsFlag.State, Operation, DisableWinsFlag.Effect, Boolean> {
  @Override
  public DisableWinsFlag type() {
    return DisableWinsFlag.TYPE;
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
    Events<Operation> counting = visible.notFollowedBy(later -> later == Operation.RESET);
    return counting.anyMatch(event -> event.operation() == Operation.ENABLE)
        && counting.filter(event -> event.operation() == Operation.DISABLE).stream()
            .allMatch(
                disabling -> counting.isFollowed(disabling, later -> later == Operation.ENABLE));
  }

  @Override
  public int maxBytes(Events<Operation> visible, VectorClock frontier) {
    return Samples.COUNT_BYTES
        + 1
        + (value(visible, frontier) ? Samples.dotsBytes(Samples.newest(visible)) : 0);
  }
}
