package io.github.stablecut.crdt.set;

import static java.util.stream.Collectors.toCollection;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.set.GrowOnlySet.Add;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import net.jqwik.api.Arbitrary;

/** A grow-only set: all that was added. */
class GrowOnlySetProperties
    extends Specification<GrowOnlySet.State, Add, Add, NavigableSet<Bytes>> {
  @Override
  public GrowOnlySet type() {
    return GrowOnlySet.TYPE;
  }

  @Override
  public List<Add> sample() {
    return List.of(new Add(List.of(Samples.B, Samples.A)), new Add(List.of(Bytes.EMPTY)));
  }

  @Override
  public Arbitrary<Add> operations() {
    return Samples.elementLists().map(Add::new);
  }

  @Override
  public NavigableSet<Bytes> value(Events<Add> visible, VectorClock snapshot) {
    return visible
        .operations()
        .flatMap(add -> add.elements().stream())
        .collect(toCollection(TreeSet::new));
  }

  @Override
  public int maxBytes(Events<Add> visible, VectorClock frontier) {
    int elements = value(visible, frontier).size();
    return Samples.COUNT_BYTES + elements * Samples.ELEMENT_BYTES;
  }

  /** A map keeps dots. */
  @Override
  public int maxBytesInMap(Events<Add> visible, VectorClock frontier) {
    return maxBytes(visible, frontier)
        + value(visible, frontier).stream()
            .mapToInt(
                element ->
                    Samples.dotsBytes(
                        Samples.newest(
                            visible.filter(add -> add.operation().elements().contains(element)))))
            .sum();
  }
}
