package io.github.stablecut.crdt;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A set of events that is closed under causality, in arbitration order: all that a specification
 * gets to see (Burckhardt et al., "Replicated Data Types: Specification, Verification, Optimality",
 * 2014). Immutable.
 */
record Events<O>(List<Event<O>> inOrder) {
  Events {
    inOrder = inOrder.stream().sorted().toList();
  }

  Stream<Event<O>> stream() {
    return inOrder.stream();
  }

  /** These events and one more. */
  Events<O> with(Event<O> event) {
    return new Events<>(Stream.concat(stream(), Stream.of(event)).toList());
  }

  Events<O> filter(Predicate<? super Event<O>> condition) {
    return new Events<>(stream().filter(condition).toList());
  }

  boolean anyMatch(Predicate<? super Event<O>> condition) {
    return inOrder.stream().anyMatch(condition);
  }

  /** The past of an event. */
  Events<O> seenBy(Event<?> event) {
    return filter(event::sees);
  }

  /** Whether some event that sees this one fulfils a condition. */
  boolean isFollowed(Event<?> event, Predicate<? super O> by) {
    return anyMatch(later -> by.test(later.operation()) && later.sees(event));
  }

  /** The events that no event of a kind, such as a reset, has seen. */
  Events<O> notFollowedBy(Predicate<? super O> kind) {
    return filter(event -> !isFollowed(event, kind));
  }

  /**
   * The events of a part, such as one entry of a map: each operation replaced by what it does to
   * the part, in order, which may be nothing.
   */
  <P> Events<P> project(Function<? super O, List<P>> toPart) {
    List<Event<P>> parts = new ArrayList<>();
    for (Event<O> event : inOrder) {
      List<P> operations = toPart.apply(event.operation());
      for (int i = 0; i < operations.size(); i++) {
        parts.add(event.withOperation(operations.get(i), event.place() * 1000 + i));
      }
    }
    return new Events<>(parts);
  }
}
