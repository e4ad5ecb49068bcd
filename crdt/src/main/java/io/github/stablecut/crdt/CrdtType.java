package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The contract of a data type. Implementations are stateless and thread-safe; states, operations
 * and effects are immutable values.
 *
 * <p>The laws of a type, which the property harness tests for every type:
 *
 * <ol>
 *   <li>after the effects of a set of events, applied in any order that respects causality, the
 *       value is the one that the type's specification defines for those events;
 *   <li>effects of concurrent operations commute on every reachable state;
 *   <li>{@link #apply} is total and deterministic;
 *   <li>{@link #prune} at a legal frontier changes no value, now or after any later effects;
 *   <li>states, operations and effects survive encoding, and equal states give equal bytes;
 *   <li>{@link #resetOperation} removes everything observed and keeps everything concurrent;
 *   <li>an effect with self dots, applied to a snapshot, yields the value that readers see after
 *       the commit.
 * </ol>
 *
 * @param <S> state
 * @param <O> operation: the change that a client requests
 * @param <E> effect: the change that every replica applies
 * @param <V> value: what a reader sees
 */
public interface CrdtType<S, O, E, V> {
  /** The number of this type in journals and checkpoints. It never changes and is never reused. */
  int typeId();

  /** The type's name in messages, such as {@code add-wins set}. */
  String name();

  /** The state of an object without any updates. */
  S initial();

  /**
   * Whether {@link #downstream} needs the state. The other operations are <em>blind</em>: they cost
   * no read.
   */
  boolean needsState(O operation);

  /**
   * Whether a transaction with this operation may commit only if no other transaction of its data
   * centre has changed the object since its snapshot. True for operations that spend a resource:
   * two transactions on the same snapshot would spend it twice.
   */
  default boolean needsCertification(O operation) {
    return false;
  }

  /**
   * Whether a value may change as time passes, without any effect: the object expires, or may
   * contain objects that do. Reading the current value then requires a snapshot of the current
   * time.
   */
  default boolean dependsOnTime() {
    return false;
  }

  /**
   * Turns an operation into the effect that every replica applies.
   *
   * @param state the state that the transaction sees, including its own earlier effects; {@link
   *     #initial} for blind operations
   * @throws OperationRefusedException if the type's own rules forbid the operation in this state
   */
  E downstream(O operation, S state, OperationContext context);

  /**
   * Reconstructs an operation from an effect, for watchers: one with the same result on the state
   * that the effect's transaction saw. The removal of all elements becomes the removal of those
   * elements; a partial reset may become a full one. Empty if the effect lacks the information,
   * such as positions in a list.
   */
  default Optional<O> operation(E effect) {
    return Optional.empty();
  }

  /** The parts of the object that an operation reads or changes, for serializable transactions. */
  default List<Footprint> footprints(O operation) {
    return List.of(Footprint.whole());
  }

  /**
   * Whether an effect may change the part of the object in a footprint. True if in doubt.
   *
   * @param effect an effect of a different transaction
   */
  default boolean touches(E effect, Footprint footprint) {
    return true;
  }

  /** Applies an effect to a state. Never throws, whatever the state and the effect. */
  S apply(S state, E effect, EffectOrigin origin);

  /**
   * The value that a reader at a snapshot sees.
   *
   * @param snapshot the vector at which the state was read; types whose value depends on time
   *     derive the time from it
   */
  V value(S state, VectorClock snapshot);

  /**
   * A state with the same visible part of the object, possibly without the rest: it is sent to
   * readers of that part on other nodes.
   */
  default S narrowed(S state, Footprint part) {
    return state;
  }

  /**
   * Discards what no transaction can refer to from now on.
   *
   * @param frontier a vector at or below the snapshot of every transaction whose effects are still
   *     to be applied anywhere. It must be causally closed: with an event at or below it, all
   *     events that this one has observed are at or below it. Otherwise a snapshot may be above the
   *     event's time and not contain the event
   */
  S prune(S state, VectorClock frontier);

  /**
   * Whether {@link #prune} leaves a state that was read from pages unchanged, now and later,
   * whatever the frontier. Pruning skips pages of large states with settled entries only.
   */
  default boolean isSettled(S state) {
    return false;
  }

  /** The operation that undoes everything it observes; null if the type has none. */
  default @Nullable O resetOperation() {
    return null;
  }

  /**
   * The operation that restores the value of an object without updates, apart from concurrent
   * updates. Empty if the type has none.
   */
  default Optional<O> deletion() {
    return Optional.ofNullable(resetOperation());
  }

  /**
   * Like {@link #deletion()}, for objects of any size: callers repeat it until the bound covers the
   * rest of the object. Types with small effects ignore the bound.
   */
  default Optional<O> deletion(ResetBound bound) {
    return deletion();
  }

  /**
   * The effect of an observed reset: it undoes everything in a state and nothing concurrent. Empty
   * if the type has no reset.
   */
  default Optional<E> downstreamReset(S state, OperationContext context) {
    O reset = resetOperation();
    return reset == null ? Optional.empty() : Optional.of(downstream(reset, state, context));
  }

  /**
   * Like {@link #downstreamReset(Object, OperationContext)}, for as much of the state as the budget
   * permits. Empty if it permits nothing.
   */
  default Optional<E> downstreamReset(S state, OperationContext context, ResetBudget budget) {
    return budget.tryTake(ResetBudget.OVERHEAD)
        ? downstreamReset(state, context)
        : Optional.empty();
  }

  /**
   * This type in a form with an observed reset; the type itself if it has one. Maps and {@link
   * Expiring} store objects in this form, so that a removal removes everything observed.
   */
  default CrdtType<?, O, ?, V> resettable() {
    return resetOperation() == null ? new Resettable<>(this) : this;
  }

  /** Writes a state. Equal states give equal bytes. */
  void writeState(S state, Encoder out);

  /**
   * Reads a state.
   *
   * @throws FormatException if the bytes are not a valid state
   */
  S readState(Decoder in);

  /** Writes an operation. */
  void writeOperation(O operation, Encoder out);

  /**
   * Reads an operation.
   *
   * @throws FormatException if the bytes are not a valid operation
   * @throws OperationRefusedException if the operation is invalid
   */
  O readOperation(Decoder in);

  /** Writes an effect. */
  void writeEffect(E effect, Encoder out);

  /**
   * Reads an effect.
   *
   * @throws FormatException if the bytes are not a valid effect
   */
  E readEffect(Decoder in);
}
