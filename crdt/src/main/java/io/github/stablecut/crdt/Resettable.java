package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.counter.FatCounter;
import io.github.stablecut.crdt.internal.state.DotMap;
import io.github.stablecut.crdt.internal.state.DotSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Adds a reset to a type without one. Maps and {@link Expiring} objects store such types in this
 * form, so that a removal removes everything observed. It generalizes {@link FatCounter} to any
 * type without pruning: it keeps each effect that a reset may still cancel, and pruning folds the
 * others.
 *
 * <p>Value: the type's value of the effects that no reset has observed. Space: the object, and the
 * effects since the last pruning. Only used for nested objects, so it has no type id of its own.
 * Immutable.
 *
 * @param type the type without a reset. It must not prune anything, because effects kept here may
 *     be older than the frontier at which the rest is pruned
 */
public record Resettable<S, O, E, V>(CrdtType<S, O, E, V> type)
    implements CrdtType<Resettable.State<S, E>, O, Resettable.Effect<E>, V> {
  private static final int MIN_EFFECT_BYTES = 1;

  /** The change of the object. */
  sealed interface Effect<E> {}

  /**
   * An effect of the type.
   *
   * @param dot the effect's event
   */
  record Done<E>(Dot dot, E effect) implements Effect<E> {}

  /**
   * A reset.
   *
   * @param observed the effects that it cancels, except those that its origin had pruned
   */
  record Cancelled<E>(DotSet observed) implements Effect<E> {}

  /**
   * The effects that no reset has cancelled, in two forms.
   *
   * @param base the object after the pruned effects; empty if there are none
   * @param unstable the other effects
   * @param current the object after all effects, derived from the other components
   */
  record State<S, E>(Optional<S> base, DotMap<E> unstable, S current) {
    /** Compares the effects; the current object follows from them. */
    @Override
    public boolean equals(Object other) {
      return other instanceof State<?, ?> that
          && base.equals(that.base)
          && unstable.equals(that.unstable);
    }

    @Override
    public int hashCode() {
      return 31 * base.hashCode() + unstable.hashCode();
    }
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
  public State<S, E> initial() {
    return new State<>(Optional.empty(), DotMap.empty(), type.initial());
  }

  @Override
  public boolean needsState(O operation) {
    return type.needsState(operation);
  }

  @Override
  public boolean needsCertification(O operation) {
    return type.needsCertification(operation);
  }

  @Override
  public boolean dependsOnTime() {
    return type.dependsOnTime();
  }

  @Override
  public Effect<E> downstream(O operation, State<S, E> state, OperationContext context) {
    Dot dot = context.dots().take();
    return new Done<>(dot, type.downstream(operation, state.current, context));
  }

  @Override
  public Optional<O> operation(Effect<E> effect) {
    return effect instanceof Done<E> done ? type.operation(done.effect) : Optional.empty();
  }

  @Override
  public Optional<Effect<E>> downstreamReset(State<S, E> state, OperationContext context) {
    return Optional.of(new Cancelled<>(state.unstable.dots()));
  }

  @Override
  public Optional<Effect<E>> downstreamReset(
      State<S, E> state, OperationContext context, ResetBudget budget) {
    return budget.tryTake(ResetBudget.OVERHEAD + ResetBudget.bytes(state.unstable.size()))
        ? downstreamReset(state, context)
        : Optional.empty();
  }

  @Override
  public CrdtType<?, O, ?, V> resettable() {
    return this;
  }

  @Override
  public List<Footprint> footprints(O operation) {
    return type.footprints(operation);
  }

  @Override
  public boolean touches(Effect<E> effect, Footprint footprint) {
    return !(effect instanceof Done<E> done) || type.touches(done.effect, footprint);
  }

  @Override
  public State<S, E> apply(State<S, E> state, Effect<E> effect, EffectOrigin origin) {
    if (effect instanceof Done<E> done) {
      return new State<>(
          state.base,
          state.unstable.with(origin.resolve(done.dot), done.effect),
          type.apply(state.current, done.effect, origin));
    }
    DotSet observed = ((Cancelled<E>) effect).observed;
    DotMap<E> kept = state.unstable.withoutObserved(observed, origin);
    return new State<>(Optional.empty(), kept, fold(type.initial(), kept));
  }

  private S fold(S base, DotMap<E> effects) {
    S object = base;
    for (Map.Entry<Dot, E> effect : effects.events()) {
      Dot dot = effect.getKey();
      EffectOrigin origin = new EffectOrigin(dot.dataCentre(), dot.time(), VectorClock.ZERO);
      object = type.apply(object, effect.getValue(), origin);
    }
    return object;
  }

  @Override
  public V value(State<S, E> state, VectorClock snapshot) {
    return type.value(state.current, snapshot);
  }

  @Override
  public State<S, E> prune(State<S, E> state, VectorClock frontier) {
    DotMap<E> stable = state.unstable.within(frontier);
    if (stable.isEmpty()) {
      return state;
    }
    S base = fold(state.base.orElse(type.initial()), stable);
    return new State<>(Optional.of(base), state.unstable.without(frontier), state.current);
  }

  @Override
  public boolean isSettled(State<S, E> state) {
    return state.unstable.isEmpty();
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
  public void writeState(State<S, E> state, Encoder out) {
    out.writeFlag(state.base.isPresent());
    state.base.ifPresent(object -> type.writeState(object, out));
    state.unstable.write(out, type::writeEffect);
  }

  @Override
  public State<S, E> readState(Decoder in) {
    Optional<S> base = in.readFlag() ? Optional.of(type.readState(in)) : Optional.empty();
    DotMap<E> unstable = DotMap.read(in, MIN_EFFECT_BYTES, type::readEffect);
    S current = fold(base.orElse(type.initial()), unstable);
    return new State<>(base, unstable, current);
  }

  @Override
  public void writeEffect(Effect<E> effect, Encoder out) {
    if (effect instanceof Done<E> done) {
      out.writeFlag(true);
      out.writeDot(done.dot);
      type.writeEffect(done.effect, out);
    } else {
      out.writeFlag(false);
      ((Cancelled<E>) effect).observed.write(out);
    }
  }

  @Override
  public Effect<E> readEffect(Decoder in) {
    return in.readFlag()
        ? new Done<>(in.readDot(), type.readEffect(in))
        : new Cancelled<>(DotSet.read(in));
  }
}
