package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A type whose objects are held as those of another type, or shown in another way: one that can't
 * be reset is held as one that can and otherwise means the same. It has the number of the type that
 * it stands for, whose bytes it never meets at the top. Immutable.
 *
 * @param type the type that it stands for
 * @param held the type that it is held as
 * @param translation what an operation is there
 * @param back the operation that an operation there is; empty if there is none
 * @param reading what a state shows
 */
record HeldAs<S, O, P, E, V>(
    CrdtType<?, O, ?, ?> type,
    CrdtType<S, P, E, ?> held,
    Function<O, P> translation,
    Function<P, Optional<O>> back,
    BiFunction<? super S, VectorClock, V> reading)
    implements CrdtType<S, O, E, V> {
  private static final Function<Object, Object> SAME = Function.identity();

  /** A type with another value. */
  static <S, O, E, V> HeldAs<S, O, O, E, V> shown(
      CrdtType<S, O, E, ?> type, BiFunction<? super S, VectorClock, V> reading) {
    return new HeldAs<>(type, type, same(), Optional::of, reading);
  }

  @SuppressWarnings("unchecked") // answers what it is given
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
  public Optional<E> downstreamReset(S state, OperationContext context, ResetBudget room) {
    return held.downstreamReset(state, context, room);
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
