package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import java.util.Optional;

/**
 * A register in which the last writer wins (Johnson and Thomas, RFC 677, 1975).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Assign}</td><td>value and dot: blind</td><td>the greater dot stays</td></tr>
 * </table>
 *
 * <p>Value: that of the assignment with the greatest dot, or none. Dots extend causality, so an
 * assignment always beats those it has seen, whatever any machine's clock says. Space: the value
 * and one dot.
 */
public final class LwwRegister
    implements CrdtType<
        LwwRegister.State, LwwRegister.Assign, LwwRegister.Assigned, Optional<Bytes>> {
  /** The type. */
  public static final LwwRegister TYPE = new LwwRegister();

  private static final State EMPTY = new State(Optional.empty());

  /**
   * An assignment there need not keep those it has observed, because a reset that cancels it
   * cancels them too.
   */
  private static final HeldAs<?, Assign, ?, ?, Optional<Bytes>> RESETTABLE =
      new HeldAs<>(
          TYPE,
          MvRegister.TYPE,
          assign -> new MvRegister.Assign(assign.value),
          (state, snapshot) -> MvRegister.last(state));

  private LwwRegister() {}

  /** Assigns a value. */
  public record Assign(Bytes value) {}

  /**
   * An assignment that has happened.
   *
   * @param dot its event
   */
  public record Assigned(Dot dot, Bytes value) {}

  /**
   * The winner so far.
   *
   * @param winner empty if nothing was ever assigned
   */
  public record State(Optional<Assigned> winner) {}

  @Override
  public int typeId() {
    return 2;
  }

  @Override
  public String name() {
    return "last-writer-wins register";
  }

  @Override
  public State initial() {
    return EMPTY;
  }

  @Override
  public boolean needsState(Assign operation) {
    return false;
  }

  @Override
  public Assigned downstream(Assign operation, State state, OperationContext context) {
    return new Assigned(context.dots().take(), operation.value);
  }

  @Override
  public State apply(State state, Assigned effect, EffectOrigin origin) {
    Dot dot = origin.resolve(effect.dot);
    if (state.winner.isPresent() && state.winner.get().dot.compareTo(dot) > 0) {
      return state;
    }
    return new State(Optional.of(new Assigned(dot, effect.value)));
  }

  @Override
  public Optional<Bytes> value(State state, VectorClock snapshot) {
    return state.winner.map(Assigned::value);
  }

  @Override
  public State prune(State state, VectorClock frontier) {
    return state;
  }

  @Override
  public boolean isSettled(State state) {
    return true;
  }

  @Override
  public CrdtType<?, Assign, ?, Optional<Bytes>> resettable() {
    return RESETTABLE;
  }

  @Override
  public void writeOperation(Assign operation, Encoder out) {
    out.writeBytes(operation.value);
  }

  @Override
  public Assign readOperation(Decoder in) {
    return new Assign(in.readBytes());
  }

  @Override
  public void writeState(State state, Encoder out) {
    out.writeFlag(state.winner.isPresent());
    if (state.winner.isPresent()) {
      writeEffect(state.winner.get(), out);
    }
  }

  @Override
  public State readState(Decoder in) {
    return in.readFlag() ? new State(Optional.of(readEffect(in))) : EMPTY;
  }

  @Override
  public void writeEffect(Assigned effect, Encoder out) {
    out.writeDot(effect.dot);
    out.writeBytes(effect.value);
  }

  @Override
  public Assigned readEffect(Decoder in) {
    return new Assigned(in.readDot(), in.readBytes());
  }
}
