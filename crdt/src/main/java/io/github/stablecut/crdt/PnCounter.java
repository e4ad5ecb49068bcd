package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;

/**
 * A counter that goes up and down (Shapiro et al. 2011, section 3.1.1, op-based).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Add}</td><td>the same: blind</td><td>add up</td></tr>
 * </table>
 *
 * <p>Value: the sum of all amounts, modulo 2^64 as Java's {@code long} wraps. It can't be reset;
 * {@code FatCounter} can. Space: one {@code long}.
 */
public final class PnCounter implements CrdtType<Long, PnCounter.Add, PnCounter.Add, Long> {
  /** The type. */
  public static final PnCounter TYPE = new PnCounter();

  private static final HeldAs<?, Add, ?, ?, Long> RESETTABLE =
      new HeldAs<>(
          TYPE, FatCounter.TYPE, add -> new FatCounter.Add(add.amount), FatCounter.TYPE::value);

  private PnCounter() {}

  /**
   * Adds an amount.
   *
   * @param amount any number; below 0 it counts down
   */
  public record Add(long amount) {}

  @Override
  public int typeId() {
    return 1;
  }

  @Override
  public String name() {
    return "counter";
  }

  @Override
  public Long initial() {
    return 0L;
  }

  @Override
  public boolean needsState(Add operation) {
    return false;
  }

  @Override
  public Add downstream(Add operation, Long state, OperationContext context) {
    return operation;
  }

  @Override
  public Long apply(Long state, Add effect, EffectOrigin origin) {
    return state + effect.amount;
  }

  @Override
  public Long value(Long state, VectorClock snapshot) {
    return state;
  }

  @Override
  public Long prune(Long state, VectorClock frontier) {
    return state;
  }

  @Override
  public boolean isSettled(Long state) {
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
  public void writeState(Long state, Encoder out) {
    out.writeSigned(state);
  }

  @Override
  public Long readState(Decoder in) {
    return in.readSigned();
  }

  @Override
  public void writeEffect(Add effect, Encoder out) {
    out.writeSigned(effect.amount);
  }

  @Override
  public Add readEffect(Decoder in) {
    return new Add(in.readSigned());
  }
}
