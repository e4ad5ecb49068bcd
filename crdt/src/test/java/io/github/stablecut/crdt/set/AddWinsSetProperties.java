package io.github.stablecut.crdt.set;

import static java.util.stream.Collectors.toCollection;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.set.AddWinsSet.Add;
import io.github.stablecut.crdt.set.AddWinsSet.Operation;
import io.github.stablecut.crdt.set.AddWinsSet.Remove;
import io.github.stablecut.crdt.set.AddWinsSet.Reset;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;

/** An add-wins set: the elements with an addition that no removal or reset has seen. */
public class AddWinsSetProperties
    extends Specification<AddWinsSet.State, Operation, AddWinsSet.Effect, NavigableSet<Bytes>> {
  @Override
  public AddWinsSet type() {
    return AddWinsSet.TYPE;
  }

  @Override
  public List<Operation> sample() {
    return List.of(
        new Add(List.of(Samples.A, Samples.B)),
        new Remove(List.of(Samples.A)),
        new Reset(),
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
    return Samples.ELEMENTS.stream()
        .filter(
            element ->
                visible
                    .filter(event -> adds(event.operation(), element))
                    .anyMatch(add -> !visible.isFollowed(add, later -> removes(later, element))))
        .collect(toCollection(TreeSet::new));
  }

  @Override
  public int maxBytes(Events<Operation> visible, VectorClock frontier) {
    return Samples.COUNT_BYTES
        + value(visible, frontier).stream()
            .mapToInt(
                element -> {
                  Events<Operation> touching =
                      visible.filter(
                          event ->
                              adds(event.operation(), element)
                                  || removes(event.operation(), element));
                  return Samples.ELEMENT_BYTES + Samples.dotsBytes(Samples.newest(touching));
                })
            .sum();
  }

  private static boolean adds(Operation operation, Bytes element) {
    return operation instanceof Add add && add.elements().contains(element);
  }

  private static boolean removes(Operation operation, Bytes element) {
    return operation instanceof Reset
        || (operation instanceof Remove remove && remove.elements().contains(element));
  }
}
