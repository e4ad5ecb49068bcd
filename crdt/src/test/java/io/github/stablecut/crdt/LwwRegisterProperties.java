package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.LwwRegister.Assign;
import io.github.stablecut.crdt.LwwRegister.Assigned;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitrary;

/** A last-writer-wins register: the last assignment in arbitration order. */
class LwwRegisterProperties
    extends Specification<LwwRegister.State, Assign, Assigned, Optional<Bytes>> {
  @Override
  LwwRegister type() {
    return LwwRegister.TYPE;
  }

  @Override
  List<Assign> sample() {
    return List.of(new Assign(Samples.A), new Assign(Samples.B));
  }

  @Override
  Arbitrary<Assign> operations() {
    return Samples.elements().map(Assign::new);
  }

  @Override
  Optional<Bytes> value(Events<Assign> visible, VectorClock snapshot) {
    return visible.operations().reduce((first, later) -> later).map(Assign::value);
  }

  @Override
  int maxBytes(Events<Assign> visible, VectorClock frontier) {
    return 3 + Samples.DOT_BYTES + Samples.ELEMENT_BYTES;
  }

  /** A map keeps concurrent assignments. */
  @Override
  int maxBytesInMap(Events<Assign> visible, VectorClock frontier) {
    int siblings = Samples.newest(visible);
    return Samples.COUNT_BYTES + siblings * (Samples.DOT_BYTES + Samples.ELEMENT_BYTES);
  }
}
