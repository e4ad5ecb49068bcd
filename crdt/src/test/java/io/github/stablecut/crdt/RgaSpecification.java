package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Rga.Delete;
import io.github.stablecut.crdt.Rga.Insert;
import io.github.stablecut.crdt.Rga.Operation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * A sequence: the tree of the elements by what each was inserted after, younger siblings first,
 * read from the root down, without those that were deleted.
 */
abstract class RgaSpecification<C, V>
    extends Specification<Rga.State<C>, Operation<C>, Rga.Effect<C>, V> {
  private static final int MAX_POSITION = 30;
  private static final int MAX_DELETED = 4;

  /** Version, type, size and number of runs. */
  private static final int EMPTY_BYTES = 4;

  /** The {@code place}-th element of an insertion. */
  private record Element<C>(Event<Operation<C>> insertion, int place)
      implements Comparable<Element<C>> {
    @Override
    public int compareTo(Element<C> other) {
      int byEvent = insertion.compareTo(other.insertion);
      return byEvent != 0 ? byEvent : Integer.compare(place, other.place);
    }
  }

  /**
   * What an operation does.
   *
   * @param reference what its elements, if any, are inserted after
   * @param inserted each after the one before it
   */
  private record Change<C>(
      Optional<Element<C>> reference, List<Element<C>> inserted, Set<Element<C>> deleted) {}

  /** What events mean; remembers what each of them does. */
  private final class Meaning {
    private final Map<Event<?>, Change<C>> changes = new HashMap<>();

    /** All elements that there are after some events, in order. */
    List<Element<C>> visible(Events<Operation<C>> events) {
      Map<Optional<Element<C>>, Set<Element<C>>> children = new HashMap<>();
      addChildren(events, children, new HashSet<>());
      List<Element<C>> ordered = new ArrayList<>();
      addBelow(Optional.empty(), children, ordered);
      Set<Element<C>> inserted = new HashSet<>();
      Set<Element<C>> deleted = new HashSet<>();
      for (Event<Operation<C>> event : events.stream().toList()) {
        Change<C> change = change(event, events);
        inserted.addAll(change.inserted);
        deleted.addAll(change.deleted);
      }
      ordered.retainAll(inserted);
      ordered.removeAll(deleted);
      return ordered;
    }

    /** The elements by what they were inserted after, those included that no longer count. */
    private void addChildren(
        Events<Operation<C>> events,
        Map<Optional<Element<C>>, Set<Element<C>>> children,
        Set<Event<?>> done) {
      for (Event<Operation<C>> event : events.stream().toList()) {
        if (done.add(event)) {
          Change<C> change = change(event, events);
          Optional<Element<C>> reference = change.reference;
          for (Element<C> element : change.inserted) {
            children
                .computeIfAbsent(reference, r -> new TreeSet<>(Comparator.reverseOrder()))
                .add(element);
            reference = Optional.of(element);
          }
          addChildren(events.pastOf(event), children, done);
        }
      }
    }

    private void addBelow(
        Optional<Element<C>> reference,
        Map<Optional<Element<C>>, Set<Element<C>>> children,
        List<Element<C>> ordered) {
      for (Element<C> child : children.getOrDefault(reference, Set.of())) {
        ordered.add(child);
        addBelow(Optional.of(child), children, ordered);
      }
    }

    private Change<C> change(Event<Operation<C>> event, Events<Operation<C>> events) {
      Change<C> known = changes.get(event);
      if (known == null) {
        known = change(event, visible(events.pastOf(event)));
        changes.put(event, known);
      }
      return known;
    }

    private Change<C> change(Event<Operation<C>> event, List<Element<C>> seen) {
      if (event.operation() instanceof Insert<C> insert) {
        int position = insert.position();
        Optional<Element<C>> reference =
            position == 0 ? Optional.empty() : Optional.of(seen.get(position - 1));
        List<Element<C>> inserted =
            IntStream.range(0, split(insert.elements()).size())
                .mapToObj(place -> new Element<>(event, place))
                .toList();
        return new Change<>(reference, inserted, Set.of());
      }
      if (event.operation() instanceof Delete<C> delete) {
        int from = delete.position();
        return new Change<>(
            Optional.empty(), List.of(), Set.copyOf(seen.subList(from, from + delete.count())));
      }
      return new Change<>(Optional.empty(), List.of(), Set.copyOf(seen));
    }
  }

  /** The elements of a sequence, one by one. */
  abstract List<C> split(C sequence);

  /** The value of these elements. */
  abstract V join(List<C> elements);

  /** How many elements a value has. */
  abstract int size(V value);

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
  Operation<C> fit(Operation<C> operation, V value) {
    int size = size(value);
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
  boolean refuses(
      Events<Operation<C>> visible, Operation<C> operation, int dataCentre, VectorClock snapshot) {
    int size = size(value(visible, snapshot));
    if (operation instanceof Insert<C> insert) {
      return insert.position() > size;
    }
    return operation instanceof Delete<C> delete && delete.position() + delete.count() > size;
  }

  @Override
  V value(Events<Operation<C>> visible, VectorClock snapshot) {
    return join(new Meaning().visible(visible).stream().map(this::content).toList());
  }

  private C content(Element<C> element) {
    Insert<C> insert = (Insert<C>) element.insertion.operation();
    return split(insert.elements()).get(element.place);
  }

  @Override
  int maxBytes(Events<Operation<C>> visible, VectorClock frontier) {
    int elements = size(value(visible, VectorClock.ZERO));
    return elements == 0
        ? EMPTY_BYTES
        : EMPTY_BYTES + Samples.NUMBER_BYTES + elements * (maxElementBytes() + Samples.DOT_BYTES);
  }
}
