package io.github.stablecut.crdt.register;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.register.LwwRegister.Assign;
import io.github.stablecut.crdt.register.LwwRegister.Clear;
import io.github.stablecut.crdt.register.LwwRegister.Operation;
import io.github.stablecut.crdt.register.LwwRegister.Write;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;

/** A last-writer-wins register: the last operation in arbitration order. */
public class LwwRegisterProperties
    extends Specification<LwwRegister.State, Operation, Write, Optional<Bytes>> {
  @Override
  public LwwRegister type() {
    return LwwRegister.TYPE;
  }

  @Override
  public List<Operation> sample() {
    return List.of(new Assign(Samples.A), new Assign(Samples.B));
  }

  @Override
  public Arbitrary<Operation> operations() {
    return Arbitraries.frequencyOf(
        Tuple.of(3, Samples.elements().map(Assign::new)), Tuple.of(1, Arbitraries.of(new Clear())));
  }

  @Override
  public Optional<Bytes> value(Events<Operation> visible, VectorClock snapshot) {
    return visible
        .operations()
        .reduce((first, later) -> later)
        .filter(Assign.class::isInstance)
        .map(assign -> ((Assign) assign).value());
  }

  @Override
  public int maxBytes(Events<Operation> visible, VectorClock frontier) {
    return 3 + Samples.DOT_BYTES + Samples.ELEMENT_BYTES;
  }

  /** A map keeps concurrent operations. */
  @Override
  public int maxBytesInMap(Events<Operation> visible, VectorClock frontier) {
    int siblings = Samples.newest(visible);
    return Samples.COUNT_BYTES + siblings * (Samples.DOT_BYTES + Samples.ELEMENT_BYTES);
  }
}
