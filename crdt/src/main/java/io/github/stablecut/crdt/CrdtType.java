package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The contract of a data type. Implementations are stateless and thread-safe; states, operations
 * and effects are immutable values.
 *
 * <p>The laws of a type, which the property harness tests for each type:
 *
 * <ol>
 *   <li>the value after applying the effects of a set of events in any order that extends causality
 *       is what the type's specification says of those events;
 *   <li>effects of concurrent operations commute on every reachable state;
 *   <li>{@link #apply} is total and deterministic;
 *   <li>{@link #prune} at a legal frontier changes no value, now or after any later effects;
 *   <li>states, operations and effects survive encoding, and equal states give equal bytes;
 *   <li>after {@link #resetOperation} what was observed is gone and what was concurrent stays;
 *   <li>an effect with self dots applied to a snapshot shows what will be seen after the commit.
 * </ol>
 *
 * @param <S> state
 * @param <O> operation: what a client asks for
 * @param <E> effect: what every replica applies
 * @param <V> value: what a reader sees
 */
public interface CrdtType<S, O, E, V> {
  /**
   * The number that stands for this type in journals and checkpoints. It never changes and is never
   * used again.
   */
  int typeId();

  /** The type's name in messages, such as {@code add-wins set}. */
  String name();

  /** The state of an object that nothing has been done to. */
  S initial();

  /**
   * Whether {@link #downstream} looks at the state. Operations for which it does not are
   * <em>blind</em>: they cost no read.
   */
  boolean needsState(O operation);

  /**
   * Whether a transaction with this operation may commit only if no other transaction of its data
   * centre has changed the object since its snapshot. Types whose operations spend something that
   * exists once answer true: from one snapshot two transactions would spend the same.
   */
  default boolean needsCertification(O operation) {
    return false;
  }

  /**
   * Whether a value may change as time passes, without any effect: of an object that expires, or
   * may hold others that do. Who wants to see what is so now must then read at a snapshot of now.
   */
  default boolean dependsOnTime() {
    return false;
  }

  /**
   * Turns an operation into the effect that all replicas will apply.
   *
   * @param state what the transaction sees, its own earlier effects included; {@link #initial} for
   *     blind operations
   * @throws OperationRefusedException if the type's own rules forbid the operation in this state
   */
  E downstream(O operation, S state, OperationContext context);

  /**
   * What an effect says of its operation, for those who are told of it: one that does the same to
   * what its transaction saw. The removal of all elements shows as that of these; a reset in parts
   * may show as one of all. Empty if the effect does not say it, as of positions in a list.
   */
  default Optional<O> operation(E effect) {
    return Optional.empty();
  }

  /**
   * The parts of the object that an operation looks at or changes, for transactions that must be
   * serialisable.
   */
  default List<Footprint> footprints(O operation) {
    return List.of(Footprint.whole());
  }

  /**
   * Whether an effect may change what is in a footprint. If in doubt, it may.
   *
   * @param effect of another transaction than the footprint
   */
  default boolean touches(E effect, Footprint footprint) {
    return true;
  }

  /** The state after an effect. Never throws, whatever the state and the effect. */
  S apply(S state, E effect, EffectOrigin origin);

  /**
   * The value that a reader of a snapshot sees.
   *
   * @param snapshot the vector the state was read at; types whose value depends on time take the
   *     time from it
   */
  V value(S state, VectorClock snapshot);

  /**
   * A state of which a reader sees the same part of the object: for readers of the part on other
   * nodes, who need not get the rest.
   */
  default S narrowed(S state, Footprint part) {
    return state;
  }

  /**
   * The same state without what no transaction can refer to any more.
   *
   * @param frontier at or below the snapshot of every transaction whose effects are still to be
   *     applied anywhere, and with every event at or below it so are all that this one has seen:
   *     else a snapshot may be above the event's time and not contain it
   */
  S prune(S state, VectorClock frontier);

  /**
   * Whether {@link #prune} changes nothing of a state, now or later, whatever the frontier, once it
   * is read from pages. Pages of large states that hold settled ones only are not looked at for
   * pruning.
   */
  default boolean isSettled(S state) {
    return false;
  }

  /** The operation that undoes everything it observes, or null if the type has none. */
  default @Nullable O resetOperation() {
    return null;
  }

  /**
   * The operation after which a reader sees the value of an object that nothing was done to, unless
   * somebody does something concurrently. Empty if the type has none.
   */
  default Optional<O> deletion() {
    return Optional.ofNullable(resetOperation());
  }

  /**
   * As {@link #deletion()}, of an object of any size: repeated in parts until all of it goes at
   * once. Types whose effects stay small leave the bound out of account.
   */
  default Optional<O> deletion(ResetBound bound) {
    return deletion();
  }

  /**
   * The effect of an observed reset: it undoes everything that a state holds and nothing that is
   * concurrent. Empty if the type has no reset.
   */
  default Optional<E> downstreamReset(S state, OperationContext context) {
    O reset = resetOperation();
    return reset == null ? Optional.empty() : Optional.of(downstream(reset, state, context));
  }

  /**
   * As {@link #downstreamReset(Object, OperationContext)}, of as much of the state as there is room
   * for. Empty if there is none.
   */
  default Optional<E> downstreamReset(S state, OperationContext context, ResetBudget room) {
    return room.take(ResetBudget.OVERHEAD) ? downstreamReset(state, context) : Optional.empty();
  }

  /**
   * This type in a form that has an observed reset; itself if it has one. Maps and {@link Expiring}
   * hold objects in this form, so that removing really removes.
   */
  default CrdtType<?, O, ?, V> resettable() {
    return resetOperation() == null ? new Resettable<>(this) : this;
  }

  /** Writes a state. Equal states give equal bytes. */
  void writeState(S state, Encoder out);

  /**
   * Reads a state.
   *
   * @throws FormatException if the bytes are not those of a state
   */
  S readState(Decoder in);

  /** Writes an operation. */
  void writeOperation(O operation, Encoder out);

  /**
   * Reads an operation.
   *
   * @throws FormatException if the bytes are not those of an operation
   * @throws OperationRefusedException if there is no such operation
   */
  O readOperation(Decoder in);

  /** Writes an effect. */
  void writeEffect(E effect, Encoder out);

  /**
   * Reads an effect.
   *
   * @throws FormatException if the bytes are not those of an effect
   */
  E readEffect(Decoder in);
}
