package io.github.stablecut.crdt.map;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.ResetBudget;
import io.github.stablecut.crdt.internal.state.DotSet;
import io.github.stablecut.crdt.internal.tree.Hideable;
import io.github.stablecut.crdt.map.RecursiveResetMap.Change;
import java.util.Optional;

/**
 * An entry of a {@link RecursiveResetMap}. Immutable.
 *
 * @param type the type of the object, in its resettable form
 * @param dots the updates that no other update or removal has observed; empty if the entry is
 *     absent and its object keeps only unpruned state
 */
record ResettableEntry<S>(CrdtType<S, ?, ?, ?> type, DotSet dots, S object) implements Hideable {
  @Override
  public boolean isVisible() {
    return !dots.isEmpty();
  }

  boolean isDiscardable() {
    return dots.isEmpty() && object.equals(type.initial());
  }

  /** The object's value, as a type with the same id shows it. */
  @SuppressWarnings("unchecked") // types with the same id have the same states
  Object value(CrdtType<?, ?, ?, ?> requested, VectorClock snapshot) {
    return ((CrdtType<S, ?, ?, ?>) requested).value(object, snapshot);
  }

  /** Prunes the object; returns this entry if nothing changes, empty if nothing remains. */
  Optional<ResettableEntry<?>> prune(VectorClock frontier) {
    S pruned = type.prune(object, frontier);
    ResettableEntry<S> remaining =
        pruned == object ? this : new ResettableEntry<>(type, dots, pruned);
    return remaining.isDiscardable() ? Optional.empty() : Optional.of(remaining);
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
   * The removal of as much of the entry as the budget permits; the last part removes the entry
   * itself. Empty if the budget permits nothing.
   */
  Optional<Change<?, ?>> removal(MapKey<?, ?> place, OperationContext context, ResetBudget budget) {
    return removal(place, type, context, budget);
  }

  private <E> Optional<Change<?, ?>> removal(
      MapKey<?, ?> place,
      CrdtType<S, ?, E, ?> sameType,
      OperationContext context,
      ResetBudget budget) {
    Optional<E> reset = sameType.downstreamReset(object, context, budget);
    if (reset.isEmpty()) {
      return Optional.empty();
    }
    budget.count(place.key(), dots.size());
    DotSet observed = budget.isExhausted() ? DotSet.EMPTY : dots;
    return Optional.of(new Change<>(place, sameType, observed, Optional.empty(), reset.get()));
  }

  void write(Encoder out) {
    dots.write(out);
    out.enter();
    type.writeState(object, out);
    out.exit();
  }
}
