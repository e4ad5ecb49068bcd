package io.github.stablecut.crdt.internal.state;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.ResetBudget;
import io.github.stablecut.crdt.Resettable;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Adapts a type: stores its objects as those of another type, or shows a different value. A type
 * without a reset is stored as an otherwise equivalent type with one. The adapter has the id of the
 * type that it adapts. It is only used for nested objects or for reading, so it never meets that
 * type's own states as top-level objects. Immutable.
 *
 * @param type the adapted type
 * @param held the type of the stored states
 * @param translation converts an operation to one of {@code held}
 * @param back converts an operation of {@code held} back; empty if there is none
 * @param reading computes the value of a state
 */
public record HeldAs<S, O, P, E, V>(
    CrdtType<?, O, ?, ?> type,
    CrdtType<S, P, E, ?> held,
    Function<O, P> translation,
    Function<P, Optional<O>> back,
    BiFunction<? super S, VectorClock, V> reading)
    implements CrdtType<S, O, E, V> {
  private static final Function<Object, Object> SAME = Function.identity();

  /** A type with another value. */
  public static <S, O, E, V> HeldAs<S, O, O, E, V> shown(
      CrdtType<S, O, E, ?> type, BiFunction<? super S, VectorClock, V> reading) {
    return new HeldAs<>(type, type, same(), Optional::of, reading);
  }

  @SuppressWarnings("unchecked") // the identity works for any type
  private static <O> Function<O, O> same() {
    return (Function<O, O>) (Function<?, ?>) SAME;
  }

  @Override
  public int typeId() {
    return type.typeId();
  }

  @Override
  public String name() {
    return type.name();
  }

  @Override
  public S initial() {
    return held.initial();
  }

  @Override
  public boolean needsState(O operation) {
    return held.needsState(translation.apply(operation));
  }

  @Override
  public boolean needsCertification(O operation) {
    return held.needsCertification(translation.apply(operation));
  }

  @Override
  public E downstream(O operation, S state, OperationContext context) {
    return held.downstream(translation.apply(operation), state, context);
  }

  @Override
  public Optional<O> operation(E effect) {
    return held.operation(effect).flatMap(back);
  }

  @Override
  public Optional<E> downstreamReset(S state, OperationContext context) {
    return held.downstreamReset(state, context);
  }

  @Override
  public Optional<E> downstreamReset(S state, OperationContext context, ResetBudget budget) {
    return held.downstreamReset(state, context, budget);
  }

  @Override
  public CrdtType<?, O, ?, V> resettable() {
    return held.resettable().equals(held) ? this : new Resettable<>(this);
  }

  @Override
  public boolean dependsOnTime() {
    return held.dependsOnTime();
  }

  @Override
  public List<Footprint> footprints(O operation) {
    return held.footprints(translation.apply(operation));
  }

  @Override
  public boolean touches(E effect, Footprint footprint) {
    return held.touches(effect, footprint);
  }

  @Override
  public S apply(S state, E effect, EffectOrigin origin) {
    return held.apply(state, effect, origin);
  }

  @Override
  public V value(S state, VectorClock snapshot) {
    return reading.apply(state, snapshot);
  }

  @Override
  public S narrowed(S state, Footprint part) {
    return held.narrowed(state, part);
  }

  @Override
  public S prune(S state, VectorClock frontier) {
    return held.prune(state, frontier);
  }

  @Override
  public boolean isSettled(S state) {
    return held.isSettled(state);
  }

  @Override
  public void writeOperation(O operation, Encoder out) {
    type.writeOperation(operation, out);
  }

  @Override
  public O readOperation(Decoder in) {
    return type.readOperation(in);
  }

  @Override
  public void writeState(S state, Encoder out) {
    held.writeState(state, out);
  }

  @Override
  public S readState(Decoder in) {
    return held.readState(in);
  }

  @Override
  public void writeEffect(E effect, Encoder out) {
    held.writeEffect(effect, out);
  }

  @Override
  public E readEffect(Decoder in) {
    return held.readEffect(in);
  }
}
