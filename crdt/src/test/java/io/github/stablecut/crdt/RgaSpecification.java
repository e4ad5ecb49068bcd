package io.github.stablecut.crdt;

import static java.util.Comparator.reverseOrder;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Rga.Delete;
import io.github.stablecut.crdt.Rga.Insert;
import io.github.stablecut.crdt.Rga.Operation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * A sequence: the tree of the elements by what each was inserted after, younger siblings first,
 * read from the root down, without those that were deleted.
 */
abstract class RgaSpecification<C>
    extends Specification<Rga.State<C>, Operation<C>, Rga.Effect<C>, C> {
  private static final int MAX_POSITION = 30;
  private static final int MAX_DELETED = 4;

  /** The {@code place}-th element of an insertion. */
  private record Element<C>(Event<Operation<C>> insertion, int place)
      implements Comparable<Element<C>> {
    @Override
    public int compareTo(Element<C> other) {
      int byEvent = insertion.compareTo(other.insertion);
      return byEvent != 0 ? byEvent : Integer.compare(place, other.place);
    }
  }

  private record Child<C>(Optional<Element<C>> reference, Element<C> element) {}

  /** What some events have done: all elements as a tree, and which are gone. */
  private record History<C>(List<Child<C>> children, Set<Element<C>> deleted) {
    static <C> History<C> empty() {
      return new History<>(new ArrayList<>(), new HashSet<>());
    }

    List<Element<C>> visible() {
      List<Element<C>> all = new ArrayList<>();
      addBelow(Optional.empty(), all);
      all.removeAll(deleted);
      return all;
    }

    private void addBelow(Optional<Element<C>> reference, List<Element<C>> all) {
      children.stream()
          .filter(child -> child.reference.equals(reference))
          .map(Child::element)
          .sorted(reverseOrder())
          .forEach(
              element -> {
                all.add(element);
                addBelow(Optional.of(element), all);
              });
    }
  }

  /** The elements of a value, one by one. */
  abstract List<C> split(C value);

  abstract C join(List<C> elements);

  /** Something to insert. */
  abstract Arbitrary<C> contents();

  abstract int maxElementBytes();

  @Override
  Arbitrary<Operation<C>> operations() {
    Arbitrary<Integer> position = Arbitraries.integers().between(0, MAX_POSITION);
    Arbitrary<Integer> count = Arbitraries.integers().between(0, MAX_DELETED);
    return Arbitraries.frequencyOf(
        Tuple.of(12, Combinators.combine(position, contents()).as(Insert<C>::new)),
        Tuple.of(8, Combinators.combine(position, count).as(Delete<C>::new)),
        Tuple.of(1, Arbitraries.just(Rga.reset())));
  }

  @Override
  Operation<C> fit(Operation<C> operation, C value) {
    int size = split(value).size();
    if (operation instanceof Insert<C> insert) {
      return new Insert<>(insert.position() % (size + 1), insert.elements());
    }
    if (operation instanceof Delete<C> delete) {
      int position = delete.position() % (size + 1);
      return new Delete<>(position, Math.min(delete.count(), size - position));
    }
    return operation;
  }

  @Override
  C value(Events<Operation<C>> visible, VectorClock snapshot) {
    History<C> all = History.empty();
    List<Event<Operation<C>>> done = new ArrayList<>();
    List<History<C>> own = new ArrayList<>();
    for (Event<Operation<C>> event : visible.inOrder()) {
      History<C> seen = History.empty();
      for (int i = 0; i < done.size(); i++) {
        if (event.sees(done.get(i))) {
          seen.children.addAll(own.get(i).children);
          seen.deleted.addAll(own.get(i).deleted);
        }
      }
      History<C> change = change(event, seen.visible());
      all.children.addAll(change.children);
      all.deleted.addAll(change.deleted);
      done.add(event);
      own.add(change);
    }
    return join(
        all.visible().stream()
            .map(element -> split(contentOf(element.insertion)).get(element.place))
            .toList());
  }

  private History<C> change(Event<Operation<C>> event, List<Element<C>> visible) {
    History<C> change = History.empty();
    if (event.operation() instanceof Insert<C> insert) {
      Optional<Element<C>> reference =
          insert.position() == 0
              ? Optional.empty()
              : Optional.of(visible.get(insert.position() - 1));
      for (int place = 0; place < split(insert.elements()).size(); place++) {
        Element<C> element = new Element<>(event, place);
        change.children.add(new Child<>(reference, element));
        reference = Optional.of(element);
      }
    } else if (event.operation() instanceof Delete<C> delete) {
      int from = delete.position();
      change.deleted.addAll(visible.subList(from, from + delete.count()));
    } else {
      change.deleted.addAll(visible);
    }
    return change;
  }

  private static <C> C contentOf(Event<Operation<C>> insertion) {
    return ((Insert<C>) insertion.operation()).elements();
  }

  @Override
  int maxBytes(Events<Operation<C>> visible) {
    int elements = split(value(visible, VectorClock.ZERO)).size();
    int empty = 4;
    int first = 10;
    return elements == 0
        ? empty
        : empty + first + elements * (maxElementBytes() + Samples.DOT_BYTES);
  }
}
