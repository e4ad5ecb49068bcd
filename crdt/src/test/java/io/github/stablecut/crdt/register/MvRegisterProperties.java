package io.github.stablecut.crdt.register;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.register.MvRegister.Assign;
import io.github.stablecut.crdt.register.MvRegister.Operation;
import io.github.stablecut.crdt.register.MvRegister.Reset;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;

/** A multi-value register: the assignments that no operation has seen, by ascending value. */
public class MvRegisterProperties
    extends Specification<MvRegister.State, Operation, MvRegister.Effect, List<Bytes>> {
  @Override
  public MvRegister type() {
    return MvRegister.TYPE;
  }

  @Override
  public List<Operation> sample() {
    return List.of(new Assign(Samples.A), new Reset(), new Assign(Samples.B));
  }

  @Override
  public Arbitrary<Operation> operations() {
    return Arbitraries.frequencyOf(
        Tuple.of(3, Samples.elements().map(Assign::new)), Tuple.of(1, Arbitraries.of(new Reset())));
  }

  @Override
  public List<Bytes> value(Events<Operation> visible, VectorClock snapshot) {
    return visible
        .notFollowedBy(later -> true)
        .operations()
        .filter(Assign.class::isInstance)
        .map(assign -> ((Assign) assign).value())
        .sorted()
        .toList();
  }

  @Override
  public int maxBytes(Events<Operation> visible, VectorClock frontier) {
    int values = value(visible, frontier).size();
    return Samples.COUNT_BYTES + values * (Samples.DOT_BYTES + Samples.ELEMENT_BYTES);
  }
}
