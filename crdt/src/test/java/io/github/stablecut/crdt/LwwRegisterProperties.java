package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.LwwRegister.Assign;
import io.github.stablecut.crdt.LwwRegister.Clear;
import io.github.stablecut.crdt.LwwRegister.Operation;
import io.github.stablecut.crdt.LwwRegister.Write;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;

/** A last-writer-wins register: the last operation in arbitration order. */
class LwwRegisterProperties
    extends Specification<LwwRegister.State, Operation, Write, Optional<Bytes>> {
  @Override
  LwwRegister type() {
    return LwwRegister.TYPE;
  }

  @Override
  List<Operation> sample() {
    return List.of(new Assign(Samples.A), new Assign(Samples.B));
  }

  @Override
  Arbitrary<Operation> operations() {
    return Arbitraries.frequencyOf(
        Tuple.of(3, Samples.elements().map(Assign::new)), Tuple.of(1, Arbitraries.of(new Clear())));
  }

  @Override
  Optional<Bytes> value(Events<Operation> visible, VectorClock snapshot) {
    return visible
        .operations()
        .reduce((first, later) -> later)
        .filter(Assign.class::isInstance)
        .map(assign -> ((Assign) assign).value());
  }

  @Override
  int maxBytes(Events<Operation> visible, VectorClock frontier) {
    return 3 + Samples.DOT_BYTES + Samples.ELEMENT_BYTES;
  }

  /** A map keeps concurrent operations. */
  @Override
  int maxBytesInMap(Events<Operation> visible, VectorClock frontier) {
    int siblings = Samples.newest(visible);
    return Samples.COUNT_BYTES + siblings * (Samples.DOT_BYTES + Samples.ELEMENT_BYTES);
  }
}
