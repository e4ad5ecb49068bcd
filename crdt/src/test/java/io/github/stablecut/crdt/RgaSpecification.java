package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.sequence.Rga;
import io.github.stablecut.crdt.sequence.Rga.Delete;
import io.github.stablecut.crdt.sequence.Rga.Insert;
import io.github.stablecut.crdt.sequence.Rga.Operation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * A sequence: the tree of the elements, each below the one that it was inserted after or before,
 * with younger siblings nearer to the parent, read from left to right, without deleted elements.
 */
public abstract class RgaSpecification<C, V>
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
   * The side of an element at which others are inserted.
   *
   * @param element empty for the beginning
   */
  private record InsertionPlace<C>(Optional<Element<C>> element, boolean isBefore) {}

  /**
   * The meaning of an operation.
   *
   * @param place where its elements, if any, are inserted
   * @param inserted each after the one before it
   */
  private record Change<C>(
      InsertionPlace<C> place, List<Element<C>> inserted, Set<Element<C>> deleted) {}

  /** The meaning of events; remembers the meaning of each of them. */
  private final class Meaning {
    private final Map<Event<?>, Change<C>> changes = new HashMap<>();

    /** All elements after some events, in order. */
    List<Element<C>> visible(Events<Operation<C>> events) {
      Map<InsertionPlace<C>, NavigableSet<Element<C>>> children = new HashMap<>();
      addChildren(events, children, new HashSet<>());
      List<Element<C>> ordered = new ArrayList<>();
      addRight(Optional.empty(), children, ordered);
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

    /** The elements by their insertion places, including deleted ones. */
    private void addChildren(
        Events<Operation<C>> events,
        Map<InsertionPlace<C>, NavigableSet<Element<C>>> children,
        Set<Event<?>> done) {
      for (Event<Operation<C>> event : events.stream().toList()) {
        if (done.add(event)) {
          Change<C> change = change(event, events);
          InsertionPlace<C> place = change.place;
          for (Element<C> element : change.inserted) {
            children.computeIfAbsent(place, p -> new TreeSet<>()).add(element);
            place = new InsertionPlace<>(Optional.of(element), false);
          }
          addChildren(events.pastOf(event), children, done);
        }
      }
    }

    private void addRight(
        Optional<Element<C>> element,
        Map<InsertionPlace<C>, NavigableSet<Element<C>>> children,
        List<Element<C>> ordered) {
      children
          .getOrDefault(new InsertionPlace<>(element, false), new TreeSet<>())
          .descendingSet()
          .forEach(child -> addAll(child, children, ordered));
    }

    private void addAll(
        Element<C> element,
        Map<InsertionPlace<C>, NavigableSet<Element<C>>> children,
        List<Element<C>> ordered) {
      children
          .getOrDefault(new InsertionPlace<>(Optional.of(element), true), new TreeSet<>())
          .forEach(child -> addAll(child, children, ordered));
      ordered.add(element);
      addRight(Optional.of(element), children, ordered);
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
        List<Element<C>> inserted =
            IntStream.range(0, split(insert.elements()).size())
                .mapToObj(place -> new Element<>(event, place))
                .toList();
        return new Change<>(placeAt(position, seen), inserted, Set.of());
      }
      if (event.operation() instanceof Delete<C> delete) {
        int from = delete.position();
        return new Change<>(
            new InsertionPlace<>(Optional.empty(), false),
            List.of(),
            Set.copyOf(seen.subList(from, from + delete.count())));
      }
      return new Change<>(
          new InsertionPlace<>(Optional.empty(), false), List.of(), Set.copyOf(seen));
    }

    /** Beside the younger of the two neighbours. */
    private InsertionPlace<C> placeAt(int position, List<Element<C>> seen) {
      Optional<Element<C>> left =
          position == 0 ? Optional.empty() : Optional.of(seen.get(position - 1));
      Optional<Element<C>> right =
          position == seen.size() ? Optional.empty() : Optional.of(seen.get(position));
      boolean isBefore =
          right.isPresent() && left.filter(one -> one.compareTo(right.get()) > 0).isEmpty();
      return new InsertionPlace<>(isBefore ? right : left, isBefore);
    }
  }

  /** The elements of a sequence, one by one. */
  public abstract List<C> split(C sequence);

  /** The value of these elements. */
  public abstract V join(List<C> elements);

  /** The number of elements of a value. */
  public abstract int size(V value);

  /** A value to insert. */
  public abstract Arbitrary<C> contents();

  public abstract int maxElementBytes();

  @Override
  public Arbitrary<Operation<C>> operations() {
    Arbitrary<Integer> position = Arbitraries.integers().between(0, MAX_POSITION);
    Arbitrary<Integer> count = Arbitraries.integers().between(0, MAX_DELETED);
    return Arbitraries.frequencyOf(
        Tuple.of(12, Combinators.combine(position, contents()).as(Insert<C>::new)),
        Tuple.of(8, Combinators.combine(position, count).as(Delete<C>::new)),
        Tuple.of(1, Arbitraries.just(Rga.reset())));
  }

  @Override
  public Operation<C> fit(Operation<C> operation, V value) {
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
  public boolean refuses(
      Events<Operation<C>> visible, Operation<C> operation, int dataCentre, VectorClock snapshot) {
    int size = size(value(visible, snapshot));
    if (operation instanceof Insert<C> insert) {
      return insert.position() > size;
    }
    return operation instanceof Delete<C> delete && delete.position() + delete.count() > size;
  }

  @Override
  public V value(Events<Operation<C>> visible, VectorClock snapshot) {
    return join(new Meaning().visible(visible).stream().map(this::content).toList());
  }

  private C content(Element<C> element) {
    Insert<C> insert = (Insert<C>) element.insertion.operation();
    return split(insert.elements()).get(element.place);
  }

  @Override
  public int maxBytes(Events<Operation<C>> visible, VectorClock frontier) {
    int elements = size(value(visible, VectorClock.ZERO));
    return elements == 0
        ? EMPTY_BYTES
        : EMPTY_BYTES + Samples.NUMBER_BYTES + elements * (maxElementBytes() + Samples.DOT_BYTES);
  }
}
