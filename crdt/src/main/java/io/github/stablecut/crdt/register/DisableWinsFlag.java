package io.github.stablecut.crdt.register;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.internal.state.Votes;
import java.util.List;
import java.util.Optional;

/**
 * A flag in which disabling wins over concurrent enabling: a remove-wins set of one element.
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Operation#ENABLE}</td><td>the observed dots and a dot for the flag</td><td>loses to disabling</td></tr>
 * <tr><td>{@link Operation#DISABLE}</td><td>the observed dots and a dot against the flag</td><td>wins over enabling</td></tr>
 * <tr><td>{@link Operation#RESET}</td><td>the observed dots</td><td>undoes only what it observed</td></tr>
 * </table>
 *
 * <p>Value: whether the flag was enabled and an enabling has observed every disabling, ignoring
 * operations that a reset has observed. Space: one dot per concurrent operation; none once a
 * disabling is stable.
 */
public final class DisableWinsFlag
    implements CrdtType<
        DisableWinsFlag.State, DisableWinsFlag.Operation, DisableWinsFlag.Effect, Boolean> {
  /** The type. */
  public static final DisableWinsFlag TYPE = new DisableWinsFlag();

  private static final State EMPTY = new State(Votes.NONE);

  /** The operations in the order of their encoded numbers, which never changes. */
  private static final List<Operation> OPERATIONS =
      List.of(Operation.ENABLE, Operation.DISABLE, Operation.RESET);

  private DisableWinsFlag() {}

  /** The operations on the flag. */
  public enum Operation {
    /** Sets the flag, unless another transaction clears it concurrently. */
    ENABLE,
    /** Clears the flag, even if another transaction sets it concurrently. */
    DISABLE,
    /** Undoes all observed operations. */
    RESET
  }

  /** The change of the votes. */
  public record Effect(Votes.Change votes) {}

  /** The dots for and against the flag. */
  public record State(Votes votes) {}

  @Override
  public int typeId() {
    return 10;
  }

  @Override
  public String name() {
    return "disable-wins flag";
  }

  @Override
  public State initial() {
    return EMPTY;
  }

  @Override
  public boolean needsState(Operation operation) {
    return true;
  }

  @Override
  public Operation resetOperation() {
    return Operation.RESET;
  }

  @Override
  public Effect downstream(Operation operation, State state, OperationContext context) {
    return new Effect(
        switch (operation) {
          case ENABLE -> state.votes.cast(true, context);
          case DISABLE -> state.votes.cast(false, context);
          case RESET -> state.votes.reset();
        });
  }

  @Override
  public Optional<Operation> operation(Effect effect) {
    if (effect.votes.cast().isEmpty()) {
      return Optional.of(Operation.RESET);
    }
    return Optional.of(effect.votes.yes() ? Operation.ENABLE : Operation.DISABLE);
  }

  @Override
  public State apply(State state, Effect effect, EffectOrigin origin) {
    return new State(state.votes.apply(effect.votes, origin));
  }

  @Override
  public Boolean value(State state, VectorClock snapshot) {
    return state.votes.isFor();
  }

  @Override
  public State prune(State state, VectorClock frontier) {
    return state.votes.isSettledAgainst(frontier) ? EMPTY : state;
  }

  @Override
  public boolean isSettled(State state) {
    return state.votes.isSettled();
  }

  @Override
  public void writeOperation(Operation operation, Encoder out) {
    out.writeByte(OPERATIONS.indexOf(operation));
  }

  @Override
  public Operation readOperation(Decoder in) {
    int kind = in.readByte();
    if (kind >= OPERATIONS.size()) {
      throw new FormatException("unknown kind of flag operation, expected 0 to 2: " + kind);
    }
    return OPERATIONS.get(kind);
  }

  @Override
  public void writeState(State state, Encoder out) {
    state.votes.write(out);
  }

  @Override
  public State readState(Decoder in) {
    return new State(Votes.read(in));
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    effect.votes.write(out);
  }

  @Override
  public Effect readEffect(Decoder in) {
    return new Effect(Votes.Change.read(in));
  }
}
