package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A set of events in arbitration order, the only input of a specification (Burckhardt et al.,
 * "Replicated Data Types: Specification, Verification, Optimality", 2014). Immutable.
 */
public final class Events<O> {
  private final List<Event<O>> inOrder;

  /** The events visible to an event, and perhaps more. */
  private final Function<Event<?>, Events<O>> past;

  private Events(List<Event<O>> inOrder, Function<Event<?>, Events<O>> past) {
    this.inOrder = inOrder.stream().sorted().toList();
    this.past = past;
  }

  /** A set that is closed under causality. */
  Events(List<Event<O>> events) {
    this.inOrder = events.stream().sorted().toList();
    this.past = event -> this;
  }

  /** The events in arbitration order. */
  public Stream<Event<O>> stream() {
    return inOrder.stream();
  }

  /** The operations in arbitration order. */
  public Stream<O> operations() {
    return stream().map(Event::operation);
  }

  public boolean isEmpty() {
    return inOrder.isEmpty();
  }

  public boolean anyMatch(Predicate<? super Event<O>> condition) {
    return stream().anyMatch(condition);
  }

  /** The events that were visible to an event's operation. */
  public Events<O> pastOf(Event<?> event) {
    return past.apply(event).filter(event::sees);
  }

  /** Some of these events; their pasts stay whole. */
  public Events<O> filter(Predicate<? super Event<O>> condition) {
    return new Events<>(stream().filter(condition).toList(), past);
  }

  /** Whether some event that sees this one satisfies a condition. */
  public boolean isFollowed(Event<?> event, Predicate<? super O> by) {
    return anyMatch(later -> by.test(later.operation()) && later.sees(event));
  }

  /** The events that no event of a kind, such as a reset, has seen. */
  public Events<O> notFollowedBy(Predicate<? super O> kind) {
    return filter(event -> !isFollowed(event, kind));
  }

  /** Applies a rule to these events, and to the pasts of the selected ones. */
  public Events<O> pick(UnaryOperator<Events<O>> rule) {
    return new Events<>(rule.apply(this).inOrder, event -> pastOf(event).pick(rule));
  }

  /**
   * Like {@link #pick(UnaryOperator)}, but some of these events have seen nothing but themselves.
   *
   * @param isRestart whether an event is such a one among the given events
   */
  Events<O> pick(UnaryOperator<Events<O>> rule, BiPredicate<Events<O>, Event<O>> isRestart) {
    return new Events<>(
        rule.apply(this).inOrder,
        event -> {
          Events<O> whole = pastOf(event);
          Optional<Event<O>> own = stream().filter(one -> one.isOrHolds(event)).findFirst();
          return own.isPresent() && isRestart.test(this, own.get())
              ? whole.filter(one -> one.isOrHolds(event))
              : whole.pick(rule, isRestart);
        });
  }

  /** The same events, viewed as operations on something else. */
  public <P> Events<P> map(Function<? super O, P> toOther) {
    return new Events<>(
        stream().map(event -> event.as(toOther.apply(event.operation()))).toList(),
        event -> past.apply(event).map(toOther));
  }

  /** The parts of these events, each of which sees those before it. */
  public <P> Events<P> parts(Function<? super O, ? extends List<? extends P>> partsOf) {
    List<Event<P>> parts = new ArrayList<>();
    for (Event<O> event : inOrder) {
      List<? extends P> operations = partsOf.apply(event.operation());
      for (int i = 0; i < operations.size(); i++) {
        parts.add(event.part(operations.get(i), i));
      }
    }
    return new Events<>(parts, event -> past.apply(event).parts(partsOf));
  }

  /** These events and one more of an open transaction, which sees them all. */
  public Events<O> then(O operation, int dataCentre, VectorClock snapshot) {
    Event<O> next = new Event<>(operation, dataCentre, Long.MAX_VALUE, inOrder.size(), snapshot);
    return new Events<>(Stream.concat(stream(), Stream.of(next)).toList());
  }
}
