package io.github.stablecut.crdt.counter;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.internal.state.DotMap;
import io.github.stablecut.crdt.internal.state.DotSet;
import io.github.stablecut.crdt.internal.state.Sums;
import java.util.Map;
import java.util.Optional;

/**
 * A counter that can be reset (Younes et al., "Integration Challenges of Pure Operation-based CRDTs
 * in Redis", PaPoC 2016; Baquero et al., "The Problem with Embedded CRDT Counters and a Solution",
 * PaPoC 2016).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Add}</td><td>amount and dot: blind</td><td>add up, and survive resets</td></tr>
 * <tr><td>{@link Reset}</td><td>the observed dots</td><td>cancels only the additions it observed</td></tr>
 * </table>
 *
 * <p>Value: the sum of the additions that no reset has observed. The state is exact whatever the
 * sum; reading a sum beyond {@code long} throws a {@code LimitExceededException}. Space: one dot
 * and amount per addition since the last pruning, which adds them up in one number. That number
 * differs from none even when it is 0: the state returns to the initial one only by a reset.
 */
public final class FatCounter
    implements CrdtType<FatCounter.State, FatCounter.Operation, FatCounter.Effect, Long> {
  /** The type. */
  public static final FatCounter TYPE = new FatCounter();

  private static final State EMPTY = new State(Optional.empty(), DotMap.empty());

  private FatCounter() {}

  /** The operations on the counter. */
  public sealed interface Operation {}

  /**
   * Adds an amount.
   *
   * @param amount any number; negative amounts subtract
   */
  public record Add(long amount) implements Operation {}

  /** Cancels all additions that the transaction sees. */
  public record Reset() implements Operation {}

  /** The change of the counter. */
  public sealed interface Effect {}

  /**
   * An addition.
   *
   * @param dot the addition's event
   */
  public record Added(Dot dot, long amount) implements Effect {}

  /**
   * A reset.
   *
   * @param observed the additions that it cancels, except those that its origin had pruned
   */
  public record Cancelled(DotSet observed) implements Effect {}

  /**
   * The additions that no reset has cancelled.
   *
   * @param base the sum of the pruned additions; empty if there are none
   * @param unstable the other additions
   */
  public record State(Optional<Number> base, DotMap<Long> unstable) {}

  @Override
  public int typeId() {
    return 4;
  }

  @Override
  public String name() {
    return "resettable counter";
  }

  @Override
  public State initial() {
    return EMPTY;
  }

  @Override
  public boolean needsState(Operation operation) {
    return operation instanceof Reset;
  }

  @Override
  public Operation resetOperation() {
    return new Reset();
  }

  @Override
  public Effect downstream(Operation operation, State state, OperationContext context) {
    return operation instanceof Add add
        ? new Added(context.dots().take(), add.amount)
        : new Cancelled(state.unstable.dots());
  }

  @Override
  public Optional<Operation> operation(Effect effect) {
    return Optional.of(effect instanceof Added added ? new Add(added.amount) : new Reset());
  }

  /**
   * Invariant: every reset still to be applied has observed all additions in the base, because only
   * stable additions are merged into it.
   */
  @Override
  public State apply(State state, Effect effect, EffectOrigin origin) {
    if (effect instanceof Added added) {
      return new State(state.base, state.unstable.with(origin.resolve(added.dot), added.amount));
    }
    DotSet observed = ((Cancelled) effect).observed;
    return new State(Optional.empty(), state.unstable.withoutObserved(observed, origin));
  }

  @Override
  public Long value(State state, VectorClock snapshot) {
    return Sums.value(name(), sum(state.base, state.unstable));
  }

  private static Number sum(Optional<Number> base, DotMap<Long> additions) {
    Number sum = base.orElse(0L);
    for (Map.Entry<Dot, Long> addition : additions.events()) {
      sum = Sums.plus(sum, addition.getValue());
    }
    return sum;
  }

  @Override
  public State prune(State state, VectorClock frontier) {
    DotMap<Long> stable = state.unstable.within(frontier);
    if (stable.isEmpty()) {
      return state;
    }
    return new State(Optional.of(sum(state.base, stable)), state.unstable.without(frontier));
  }

  @Override
  public boolean isSettled(State state) {
    return state.unstable.isEmpty();
  }

  @Override
  public void writeOperation(Operation operation, Encoder out) {
    out.writeFlag(operation instanceof Add);
    if (operation instanceof Add add) {
      out.writeSigned(add.amount);
    }
  }

  @Override
  public Operation readOperation(Decoder in) {
    return in.readFlag() ? new Add(in.readSigned()) : new Reset();
  }

  @Override
  public void writeState(State state, Encoder out) {
    out.writeFlag(state.base.isPresent());
    state.base.ifPresent(sum -> Sums.write(sum, out));
    state.unstable.write(out, (amount, to) -> to.writeSigned(amount));
  }

  @Override
  public State readState(Decoder in) {
    Optional<Number> base = in.readFlag() ? Optional.of(Sums.read(in)) : Optional.empty();
    return new State(base, DotMap.read(in, 1, Decoder::readSigned));
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    if (effect instanceof Added added) {
      out.writeFlag(true);
      out.writeDot(added.dot);
      out.writeSigned(added.amount);
    } else {
      out.writeFlag(false);
      ((Cancelled) effect).observed.write(out);
    }
  }

  @Override
  public Effect readEffect(Decoder in) {
    return in.readFlag()
        ? new Added(in.readDot(), in.readSigned())
        : new Cancelled(DotSet.read(in));
  }
}
