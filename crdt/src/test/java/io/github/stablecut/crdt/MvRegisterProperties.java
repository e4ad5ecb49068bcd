package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.MvRegister.Assign;
import io.github.stablecut.crdt.MvRegister.Operation;
import io.github.stablecut.crdt.MvRegister.Reset;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;

/** A multi-value register: the assignments that no operation has seen, by ascending value. */
class MvRegisterProperties
    extends Specification<MvRegister.State, Operation, MvRegister.Effect, List<Bytes>> {
  @Override
  MvRegister type() {
    return MvRegister.TYPE;
  }

  @Override
  List<Operation> sample() {
    return List.of(new Assign(Samples.A), new Reset(), new Assign(Samples.B));
  }

  @Override
  Arbitrary<Operation> operations() {
    return Arbitraries.frequencyOf(
        Tuple.of(3, Samples.elements().map(Assign::new)), Tuple.of(1, Arbitraries.of(new Reset())));
  }

  @Override
  List<Bytes> value(Events<Operation> visible, VectorClock snapshot) {
    return visible
        .notFollowedBy(later -> true)
        .operations()
        .filter(Assign.class::isInstance)
        .map(assign -> ((Assign) assign).value())
        .sorted()
        .toList();
  }

  @Override
  int maxBytes(Events<Operation> visible, VectorClock frontier) {
    int values = value(visible, frontier).size();
    return Samples.COUNT_BYTES + values * (Samples.DOT_BYTES + Samples.ELEMENT_BYTES);
  }
}
