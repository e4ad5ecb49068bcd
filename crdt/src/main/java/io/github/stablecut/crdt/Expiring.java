package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.internal.state.DotMap;
import io.github.stablecut.crdt.internal.state.DotSet;
import io.github.stablecut.crdt.internal.state.HeldAs;
import io.github.stablecut.crdt.internal.state.Nesting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * An object of any other type with a deadline, at which it expires. Expiry depends only on the
 * object's state and the reader's snapshot, never on a clock. So reads of one snapshot are
 * repeatable and replicas agree.
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Update}</td><td>the effect on the object</td><td>as the object's type says</td></tr>
 * <tr><td>{@link ExpireAt}, {@link ExpireAfter}</td><td>the observed deadlines; the new deadline and a dot</td><td>the greater dot wins</td></tr>
 * <tr><td>{@link Persist}</td><td>the observed deadlines</td><td>removes only what it observed</td></tr>
 * <tr><td>{@link Reset}</td><td>the observed deadlines; the reset of the object</td><td>undoes only what it observed</td></tr>
 * </table>
 *
 * <p>A snapshot's time is the millisecond of its greatest entry. The object has expired once that
 * time reaches the deadline. An operation on an expired object applies to a new object: its effect
 * first resets the old state, whose values would otherwise return. Types without a reset are stored
 * in a form with one ({@link CrdtType#resettable}).
 *
 * <p>Value: the object's value; after expiry, that of a new object. Space: the object, a dot and a
 * number per concurrent deadline, and a dot per concurrent operation until it is stable; nothing
 * once the object has expired and all its operations are stable.
 *
 * @param type the type of the object, in its resettable form
 */
public record Expiring<S, O, E, V>(CrdtType<S, O, E, V> type)
    implements CrdtType<Expiring.State<S>, Expiring.Operation<O>, Expiring.Effect<E>, V> {
  /** The difference between the id of an expiring type and that of the object's type. */
  static final int TYPE_ID_OFFSET = 32;

  private static final int DEADLINE = 1;
  private static final int RESET = 2;
  private static final int UPDATE = 4;
  private static final int UPDATED = 0;
  private static final int EXPIRE_AT = 1;
  private static final int EXPIRE_AFTER = 2;
  private static final int PERSIST = 3;
  private static final int RESET_ALL = 4;
  private static final int RESET_WITHIN = 5;
  private static final int NANOS_PER_SECOND = 1_000_000_000;

  private static final BiFunction<State<?>, VectorClock, Optional<Instant>> WHEN =
      State::deadlineAt;

  /** Checks the type; prefer {@link #of}. */
  public Expiring {
    if (type instanceof Expiring) {
      throw new IllegalArgumentException("an " + type.name() + " has a deadline already");
    }
    if (!type.resettable().equals(type)) {
      throw new IllegalArgumentException(type.name() + " is not the resettable form of a type");
    }
  }

  /** The expiring form of a type. */
  public static <O, V> CrdtType<?, Operation<O>, ?, V> of(CrdtType<?, O, ?, V> type) {
    return around(type.resettable());
  }

  /**
   * The expiring form of a type with the deadline as its value: empty without a deadline or after
   * expiry. For reading only.
   */
  public static <O> CrdtType<?, Operation<O>, ?, Optional<Instant>> deadlineOf(
      CrdtType<?, O, ?, ?> type) {
    return deadlineAround(type.resettable());
  }

  private static <S, O, E> CrdtType<?, Operation<O>, ?, Optional<Instant>> deadlineAround(
      CrdtType<S, O, E, ?> type) {
    return HeldAs.shown(around(type), WHEN);
  }

  private static <S, O, E, V> Expiring<S, O, E, V> around(CrdtType<S, O, E, V> type) {
    return new Expiring<>(type);
  }

  /** The operations on the object. */
  public sealed interface Operation<O> extends Nesting {
    @Override
    default int depth() {
      return 1;
    }
  }

  /** Updates the object itself. */
  public record Update<O>(O operation) implements Operation<O> {
    /** Checks the depth. */
    public Update {
      Nesting.check(operation);
    }

    @Override
    public int depth() {
      return Nesting.around(operation);
    }
  }

  /**
   * Sets the deadline.
   *
   * @param epochMillis milliseconds since 1970
   */
  public record ExpireAt<O>(long epochMillis) implements Operation<O> {}

  /**
   * Sets the deadline to a time after that of the transaction's snapshot.
   *
   * @param time above 0; rounded up to whole milliseconds
   */
  public record ExpireAfter<O>(Duration time) implements Operation<O> {
    /** Checks the time. */
    public ExpireAfter {
      if (time.isNegative() || time.isZero()) {
        throw new OperationRefusedException(
            "expiring object: the time must be above 0, not " + time);
      }
    }
  }

  /** Removes the deadline. */
  public record Persist<O>() implements Operation<O> {}

  /** Undoes all observed operations on the object and removes the deadline. */
  public record Reset<O>() implements Operation<O> {}

  /** Like {@link Reset}, but with an effect of bounded size; the last part removes the deadline. */
  public record ResetWithin<O>(ResetBound bound) implements Operation<O> {}

  /**
   * The change of the object and its deadlines.
   *
   * @param observed the newest events that it has observed
   * @param dot the effect's own event
   * @param replaced the deadlines that it removes
   * @param deadline the deadline that it sets, if any
   * @param reset the reset of the object, if any
   * @param update the effect on the object after the reset, if any
   */
  public record Effect<E>(
      DotSet observed,
      Dot dot,
      DotSet replaced,
      Optional<Long> deadline,
      Optional<E> reset,
      Optional<E> update) {}

  /**
   * The object and its deadlines.
   *
   * @param newest the events that no other event has observed, except pruned ones
   * @param deadlines the deadlines that nothing has replaced, in milliseconds since 1970; the last
   *     one applies
   */
  public record State<S>(DotSet newest, DotMap<Long> deadlines, S object) {
    private boolean hasExpiredAt(long epochMillis) {
      return deadlines.last().filter(deadlineMillis -> deadlineMillis <= epochMillis).isPresent();
    }

    private Optional<Instant> deadlineAt(VectorClock snapshot) {
      return deadlines
          .last()
          .filter(deadlineMillis -> deadlineMillis > timeOf(snapshot))
          .map(Instant::ofEpochMilli);
    }
  }

  @Override
  public int typeId() {
    return TYPE_ID_OFFSET + type.typeId();
  }

  @Override
  public String name() {
    return "expiring " + type.name();
  }

  @Override
  public State<S> initial() {
    return new State<>(DotSet.EMPTY, DotMap.empty(), type.initial());
  }

  @Override
  public boolean needsState(Operation<O> operation) {
    return true;
  }

  @Override
  public boolean needsCertification(Operation<O> operation) {
    return operation instanceof Update<O> update && type.needsCertification(update.operation);
  }

  @Override
  public boolean dependsOnTime() {
    return true;
  }

  @Override
  public Operation<O> resetOperation() {
    return new Reset<>();
  }

  @Override
  public Optional<Operation<O>> deletion(ResetBound bound) {
    return Optional.of(new ResetWithin<>(bound));
  }

  @Override
  public Effect<E> downstream(Operation<O> operation, State<S> state, OperationContext context) {
    if (operation instanceof ResetWithin<O> within) {
      return within.bound.effect(name(), budget -> downstreamReset(state, context, budget));
    }
    long nowMillis = timeOf(context.snapshot());
    Dot dot = context.dots().take();
    boolean startsNewObject = operation instanceof Reset || state.hasExpiredAt(nowMillis);
    Optional<E> reset =
        startsNewObject ? type.downstreamReset(state.object, context) : Optional.empty();
    if (operation instanceof Update<O> update) {
      EffectOrigin open = EffectOrigin.uncommitted(VectorClock.ZERO);
      S object = reset.map(effect -> type.apply(state.object, effect, open)).orElse(state.object);
      return new Effect<>(
          state.newest,
          dot,
          startsNewObject ? state.deadlines.dots() : DotSet.EMPTY,
          Optional.empty(),
          reset,
          Optional.of(type.downstream(update.operation, object, context)));
    }
    Optional<Long> deadline = Optional.empty();
    if (operation instanceof ExpireAt<O> at) {
      deadline = Optional.of(at.epochMillis);
    } else if (operation instanceof ExpireAfter<O> after) {
      deadline = Optional.of(later(nowMillis, after.time));
    }
    return new Effect<>(
        state.newest, dot, state.deadlines.dots(), deadline, reset, Optional.empty());
  }

  @Override
  public Optional<Operation<O>> operation(Effect<E> effect) {
    if (effect.update.isPresent()) {
      return type.operation(effect.update.get()).map(Update::new);
    }
    if (effect.deadline.isPresent()) {
      return Optional.of(new ExpireAt<>(effect.deadline.get()));
    }
    return Optional.of(effect.reset.isPresent() ? new Reset<>() : new Persist<>());
  }

  @Override
  public Optional<Effect<E>> downstreamReset(
      State<S> state, OperationContext context, ResetBudget budget) {
    return type.downstreamReset(state.object, context, budget)
        .map(
            reset ->
                new Effect<>(
                    state.newest,
                    context.dots().take(),
                    budget.isExhausted() ? DotSet.EMPTY : state.deadlines.dots(),
                    Optional.empty(),
                    Optional.of(reset),
                    Optional.empty()));
  }

  private static long later(long epochMillis, Duration time) {
    return time.compareTo(Duration.ofMillis(Long.MAX_VALUE - epochMillis)) < 0
        ? epochMillis + time.plusNanos(999_999).toMillis()
        : Long.MAX_VALUE;
  }

  private static long timeOf(VectorClock vector) {
    return Timestamp.epochMillis(vector);
  }

  @Override
  public List<Footprint> footprints(Operation<O> operation) {
    return operation instanceof Update<O> update
        ? type.footprints(update.operation)
        : List.of(Footprint.whole());
  }

  /** A change of the deadline touches the whole object, as does an update of an expired object. */
  @Override
  public boolean touches(Effect<E> effect, Footprint footprint) {
    return effect.update.isEmpty()
        || effect.reset.isPresent()
        || type.touches(effect.update.get(), footprint);
  }

  /** Discards an expired object first if the effect's origin had: see {@link #discardIfExpired}. */
  @Override
  public State<S> apply(State<S> state, Effect<E> effect, EffectOrigin origin) {
    State<S> before = discardIfExpired(state, origin.pruneFrontier());
    Dot dot = origin.resolve(effect.dot);
    DotMap<Long> deadlines = before.deadlines.without(effect.replaced, origin);
    if (effect.deadline.isPresent()) {
      deadlines = deadlines.with(dot, effect.deadline.get());
    }
    S object = before.object;
    if (effect.reset.isPresent()) {
      object = type.apply(object, effect.reset.get(), origin);
    }
    if (effect.update.isPresent()) {
      object = type.apply(object, effect.update.get(), origin);
    }
    DotSet newest = before.newest.withoutObserved(effect.observed, origin).with(dot);
    return new State<>(newest, deadlines, object);
  }

  /**
   * Replaces an object that has expired at a frontier with a new one, if all its operations are at
   * or below the frontier. Every later transaction sees it expired and resets it before any update.
   * A transaction whose origin has discarded the object has nothing to reset. So replicas that
   * still have the object discard it before they apply such an effect.
   */
  private State<S> discardIfExpired(State<S> state, VectorClock frontier) {
    return state.hasExpiredAt(timeOf(frontier))
            && state.newest.allMatch(dot -> dot.isAtOrBefore(frontier))
        ? initial()
        : state;
  }

  @Override
  public V value(State<S> state, VectorClock snapshot) {
    boolean expired = state.hasExpiredAt(timeOf(snapshot));
    return type.value(expired ? type.initial() : state.object, snapshot);
  }

  @Override
  public State<S> narrowed(State<S> state, Footprint part) {
    return new State<>(state.newest, state.deadlines, type.narrowed(state.object, part));
  }

  @Override
  public State<S> prune(State<S> state, VectorClock frontier) {
    State<S> kept = discardIfExpired(state, frontier);
    DotSet newest = kept.newest.without(frontier);
    S object = type.prune(kept.object, frontier);
    return newest.equals(state.newest) && object == state.object
        ? kept
        : new State<>(newest, kept.deadlines, object);
  }

  @Override
  public boolean isSettled(State<S> state) {
    return state.newest.isEmpty() && state.deadlines.isEmpty() && type.isSettled(state.object);
  }

  @Override
  public void writeOperation(Operation<O> operation, Encoder out) {
    if (operation instanceof Update<O> update) {
      out.writeByte(UPDATED);
      out.enter();
      type.writeOperation(update.operation, out);
      out.exit();
    } else if (operation instanceof ExpireAt<O> expiry) {
      out.writeByte(EXPIRE_AT);
      out.writeSigned(expiry.epochMillis);
    } else if (operation instanceof ExpireAfter<O> expiry) {
      out.writeByte(EXPIRE_AFTER);
      out.writeUnsigned(expiry.time.getSeconds());
      out.writeUnsigned(expiry.time.getNano());
    } else if (operation instanceof ResetWithin<O> within) {
      out.writeByte(RESET_WITHIN);
      within.bound.write(out);
    } else {
      out.writeByte(operation instanceof Persist<O> ? PERSIST : RESET_ALL);
    }
  }

  @Override
  public Operation<O> readOperation(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case UPDATED -> readUpdate(in);
      case EXPIRE_AT -> new ExpireAt<>(in.readSigned());
      case EXPIRE_AFTER -> new ExpireAfter<>(readTime(in));
      case PERSIST -> new Persist<>();
      case RESET_ALL -> new Reset<>();
      case RESET_WITHIN -> new ResetWithin<>(ResetBound.read(in));
      default ->
          throw new FormatException(
              "unknown kind of operation on an expiring object, expected 0 to 5: " + kind);
    };
  }

  private Update<O> readUpdate(Decoder in) {
    in.enter();
    O operation = type.readOperation(in);
    in.exit();
    return new Update<>(operation);
  }

  private static Duration readTime(Decoder in) {
    long seconds = in.readUnsigned();
    int nanos = in.readIndex();
    if (nanos >= NANOS_PER_SECOND) {
      throw new FormatException("the nanoseconds of a duration are out of range: " + nanos);
    }
    return Duration.ofSeconds(seconds, nanos);
  }

  @Override
  public void writeState(State<S> state, Encoder out) {
    state.newest.write(out);
    state.deadlines.write(out, (deadlineMillis, to) -> to.writeSigned(deadlineMillis));
    out.enter();
    type.writeState(state.object, out);
    out.exit();
  }

  @Override
  public State<S> readState(Decoder in) {
    DotSet newest = DotSet.read(in);
    DotMap<Long> deadlines = DotMap.read(in, 1, Decoder::readSigned);
    in.enter();
    S object = type.readState(in);
    in.exit();
    return new State<>(newest, deadlines, object);
  }

  @Override
  public void writeEffect(Effect<E> effect, Encoder out) {
    out.writeByte(
        (effect.deadline.isPresent() ? DEADLINE : 0)
            | (effect.reset.isPresent() ? RESET : 0)
            | (effect.update.isPresent() ? UPDATE : 0));
    effect.observed.write(out);
    out.writeDot(effect.dot);
    effect.replaced.write(out);
    effect.deadline.ifPresent(out::writeSigned);
    out.enter();
    effect.reset.ifPresent(reset -> type.writeEffect(reset, out));
    effect.update.ifPresent(update -> type.writeEffect(update, out));
    out.exit();
  }

  @Override
  public Effect<E> readEffect(Decoder in) {
    int parts = in.readByte();
    if (parts > (DEADLINE | RESET | UPDATE)) {
      throw new FormatException("unknown flags of an effect on an expiring object: " + parts);
    }
    DotSet observed = DotSet.read(in);
    Dot dot = in.readDot();
    DotSet replaced = DotSet.read(in);
    Optional<Long> deadline = read(parts, DEADLINE, in::readSigned);
    in.enter();
    Optional<E> reset = read(parts, RESET, () -> type.readEffect(in));
    Optional<E> update = read(parts, UPDATE, () -> type.readEffect(in));
    in.exit();
    return new Effect<>(observed, dot, replaced, deadline, reset, update);
  }

  private static <T> Optional<T> read(int parts, int part, Supplier<T> reader) {
    return (parts & part) == 0 ? Optional.empty() : Optional.of(reader.get());
  }
}
