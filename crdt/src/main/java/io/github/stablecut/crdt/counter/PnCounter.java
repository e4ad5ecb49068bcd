package io.github.stablecut.crdt.counter;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.internal.state.HeldAs;
import io.github.stablecut.crdt.internal.state.Sums;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * A counter with increments and decrements (Shapiro et al. 2011, section 3.1.1, op-based).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Add}</td><td>the operation itself: blind</td><td>add up</td></tr>
 * </table>
 *
 * <p>Value: the sum of all amounts. The state is exact whatever the sum; reading a sum beyond
 * {@code long} throws a {@code LimitExceededException}. It can't be reset; a {@code FatCounter}
 * can. Space: one number.
 */
public final class PnCounter implements CrdtType<Number, PnCounter.Add, PnCounter.Add, Long> {
  /** The type. */
  public static final PnCounter TYPE = new PnCounter();

  private static final HeldAs<?, Add, ?, ?, Long> RESETTABLE =
      new HeldAs<>(
          TYPE,
          FatCounter.TYPE,
          add -> new FatCounter.Add(add.amount),
          PnCounter::plain,
          FatCounter.TYPE::value);

  private PnCounter() {}

  private static Optional<Add> plain(FatCounter.Operation operation) {
    return operation instanceof FatCounter.Add add
        ? Optional.of(new Add(add.amount()))
        : Optional.empty();
  }

  /**
   * Adds an amount.
   *
   * @param amount any number; negative amounts subtract
   */
  public record Add(long amount) {
    private static final int MAX_SHARED = 16;

    private static final List<Add> SHARED =
        LongStream.rangeClosed(-MAX_SHARED, MAX_SHARED).mapToObj(Add::new).toList();

    /**
     * Like the constructor, but shares the instances for small amounts, which are the most
     * frequent.
     */
    public static Add of(long amount) {
      return -MAX_SHARED <= amount && amount <= MAX_SHARED
          ? SHARED.get((int) amount + MAX_SHARED)
          : new Add(amount);
    }
  }

  @Override
  public int typeId() {
    return 1;
  }

  @Override
  public String name() {
    return "counter";
  }

  @Override
  public Number initial() {
    return 0L;
  }

  @Override
  public boolean needsState(Add operation) {
    return false;
  }

  @Override
  public Add downstream(Add operation, Number state, OperationContext context) {
    return operation;
  }

  @Override
  public Optional<Add> operation(Add effect) {
    return Optional.of(effect);
  }

  @Override
  public Number apply(Number state, Add effect, EffectOrigin origin) {
    return Sums.plus(state, effect.amount);
  }

  @Override
  public Long value(Number state, VectorClock snapshot) {
    return Sums.value(name(), state);
  }

  @Override
  public Number prune(Number state, VectorClock frontier) {
    return state;
  }

  @Override
  public boolean isSettled(Number state) {
    return true;
  }

  @Override
  public CrdtType<?, Add, ?, Long> resettable() {
    return RESETTABLE;
  }

  @Override
  public void writeOperation(Add operation, Encoder out) {
    writeEffect(operation, out);
  }

  @Override
  public Add readOperation(Decoder in) {
    return readEffect(in);
  }

  @Override
  public void writeState(Number state, Encoder out) {
    Sums.write(state, out);
  }

  @Override
  public Number readState(Decoder in) {
    return Sums.read(in);
  }

  @Override
  public void writeEffect(Add effect, Encoder out) {
    out.writeSigned(effect.amount);
  }

  @Override
  public Add readEffect(Decoder in) {
    return Add.of(in.readSigned());
  }
}
