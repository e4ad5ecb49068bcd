package io.github.stablecut.crdt.set;

import static java.util.stream.Collectors.toCollection;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.set.RemoveWinsSet.Add;
import io.github.stablecut.crdt.set.RemoveWinsSet.Operation;
import io.github.stablecut.crdt.set.RemoveWinsSet.Remove;
import io.github.stablecut.crdt.set.RemoveWinsSet.Reset;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;

/**
 * A remove-wins set: of the events that no reset has seen, there is an addition of the element, and
 * each removal of it was seen by an addition.
 */
public class RemoveWinsSetProperties
    extends Specification<
        RemoveWinsSet.State, Operation, RemoveWinsSet.Effect, NavigableSet<Bytes>> {
  @Override
  public RemoveWinsSet type() {
    return RemoveWinsSet.TYPE;
  }

  @Override
  public List<Operation> sample() {
    return List.of(
        new Add(List.of(Samples.A, Samples.B)),
        new Reset(),
        new Remove(List.of(Samples.A)),
        new Add(List.of(Samples.B, Bytes.EMPTY)));
  }

  @Override
  public Arbitrary<Operation> operations() {
    return Arbitraries.frequencyOf(
        Tuple.of(5, Samples.elementLists().map(Add::new)),
        Tuple.of(4, Samples.elementLists().map(Remove::new)),
        Tuple.of(1, Arbitraries.just(new Reset())));
  }

  @Override
  public NavigableSet<Bytes> value(Events<Operation> visible, VectorClock snapshot) {
    Events<Operation> counting = visible.notFollowedBy(Reset.class::isInstance);
    return Samples.ELEMENTS.stream()
        .filter(element -> counting.anyMatch(event -> adds(event.operation(), element)))
        .filter(
            element ->
                counting.filter(event -> removes(event.operation(), element)).stream()
                    .allMatch(
                        removal -> counting.isFollowed(removal, later -> adds(later, element))))
        .collect(toCollection(TreeSet::new));
  }

  /** No trace of absent elements. */
  @Override
  public int maxBytes(Events<Operation> visible, VectorClock frontier) {
    Events<Operation> counting = visible.notFollowedBy(Reset.class::isInstance);
    return Samples.COUNT_BYTES
        + value(visible, frontier).stream()
            .mapToInt(
                element -> {
                  Events<Operation> touching =
                      counting.filter(
                          event ->
                              adds(event.operation(), element)
                                  || removes(event.operation(), element));
                  return Samples.ELEMENT_BYTES + 1 + Samples.dotsBytes(Samples.newest(touching));
                })
            .sum();
  }

  private static boolean adds(Operation operation, Bytes element) {
    return operation instanceof Add add && add.elements().contains(element);
  }

  private static boolean removes(Operation operation, Bytes element) {
    return operation instanceof Remove remove && remove.elements().contains(element);
  }
}
