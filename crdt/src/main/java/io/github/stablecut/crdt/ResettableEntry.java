package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.RecursiveResetMap.Change;
import java.util.Optional;

/**
 * An entry of a {@link RecursiveResetMap}. Immutable.
 *
 * @param type of the object, in its resettable form
 * @param dots the updates that no other update and no removal has observed; none if the entry is
 *     not there and its object only remembers what it has to
 */
record ResettableEntry<S>(CrdtType<S, ?, ?, ?> type, DotSet dots, S object) implements Hideable {
  @Override
  public boolean isVisible() {
    return !dots.isEmpty();
  }

  boolean isForgotten() {
    return dots.isEmpty() && object.equals(type.initial());
  }

  /** What a reader sees who asks for the object by a type of the same number. */
  @SuppressWarnings("unchecked") // types of one number have the same states
  Object value(CrdtType<?, ?, ?, ?> asked, VectorClock snapshot) {
    return ((CrdtType<S, ?, ?, ?>) asked).value(object, snapshot);
  }

  /** Itself if nothing is pruned, none if nothing is left. */
  Optional<ResettableEntry<?>> prune(VectorClock frontier) {
    S pruned = type.prune(object, frontier);
    ResettableEntry<S> left = pruned == object ? this : new ResettableEntry<>(type, dots, pruned);
    return left.isForgotten() ? Optional.empty() : Optional.of(left);
  }

  boolean isSettled() {
    return type.isSettled(object);
  }

  /** The entry with a part of its object ({@link CrdtType#narrowed}). */
  ResettableEntry<?> narrowed(Footprint part) {
    return new ResettableEntry<>(type, dots, type.narrowed(object, part));
  }

  /** The removal of the entry, which resets its object. */
  Change<?, ?> removal(MapKey<?, ?> place, OperationContext context) {
    return removal(place, type, context);
  }

  private <E> Change<S, E> removal(
      MapKey<?, ?> place, CrdtType<S, ?, E, ?> sameType, OperationContext context) {
    E reset = sameType.downstreamReset(object, context).orElseThrow();
    return new Change<>(place, sameType, dots, Optional.empty(), reset);
  }

  /**
   * The removal of as much of the entry as there is room for: it goes when all of its object is
   * reset. Empty if there is no room.
   */
  Optional<Change<?, ?>> removal(MapKey<?, ?> place, OperationContext context, ResetBudget room) {
    return removal(place, type, context, room);
  }

  private <E> Optional<Change<?, ?>> removal(
      MapKey<?, ?> place,
      CrdtType<S, ?, E, ?> sameType,
      OperationContext context,
      ResetBudget room) {
    Optional<E> reset = sameType.downstreamReset(object, context, room);
    if (reset.isEmpty()) {
      return Optional.empty();
    }
    room.count(place.key(), dots.size());
    DotSet observed = room.isExhausted() ? DotSet.EMPTY : dots;
    return Optional.of(new Change<>(place, sameType, observed, Optional.empty(), reset.get()));
  }

  void write(Encoder out) {
    dots.write(out);
    out.enter();
    type.writeState(object, out);
    out.exit();
  }
}
