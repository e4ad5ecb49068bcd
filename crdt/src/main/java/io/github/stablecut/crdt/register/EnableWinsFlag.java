package io.github.stablecut.crdt.register;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.internal.state.DotSet;
import java.util.List;
import java.util.Optional;

/**
 * A flag in which enabling wins over concurrent disabling: an add-wins set of one element.
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Operation#ENABLE}</td><td>the observed dots and a new one</td><td>wins over disabling</td></tr>
 * <tr><td>{@link Operation#DISABLE}, {@link Operation#RESET}</td><td>the observed dots</td><td>undo only what they observed</td></tr>
 * </table>
 *
 * <p>Value: whether an enabling exists that no disabling or reset has observed. Space: one dot per
 * concurrent enabling.
 */
public final class EnableWinsFlag
    implements CrdtType<
        EnableWinsFlag.State, EnableWinsFlag.Operation, EnableWinsFlag.Effect, Boolean> {
  /** The type. */
  public static final EnableWinsFlag TYPE = new EnableWinsFlag();

  private static final State EMPTY = new State(DotSet.EMPTY);

  /** The operations in the order of their encoded numbers, which never changes. */
  private static final List<Operation> OPERATIONS =
      List.of(Operation.ENABLE, Operation.DISABLE, Operation.RESET);

  private EnableWinsFlag() {}

  /** The operations on the flag. */
  public enum Operation {
    /** Sets the flag. */
    ENABLE,
    /** Clears the flag. */
    DISABLE,
    /** Clears the flag, as {@link #DISABLE} does. */
    RESET
  }

  /**
   * The change of the flag.
   *
   * @param observed the enablings that it removes
   * @param enabled the enabling that it adds, if any
   */
  public record Effect(DotSet observed, Optional<Dot> enabled) {}

  /** The enablings that no disabling or reset has observed. */
  public record State(DotSet enabled) {}

  @Override
  public int typeId() {
    return 9;
  }

  @Override
  public String name() {
    return "enable-wins flag";
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
    Optional<Dot> enabled =
        operation == Operation.ENABLE ? Optional.of(context.dots().take()) : Optional.empty();
    return new Effect(state.enabled, enabled);
  }

  @Override
  public Optional<Operation> operation(Effect effect) {
    return Optional.of(effect.enabled.isPresent() ? Operation.ENABLE : Operation.DISABLE);
  }

  @Override
  public State apply(State state, Effect effect, EffectOrigin origin) {
    DotSet kept = state.enabled.withoutObserved(effect.observed, origin);
    return new State(effect.enabled.map(dot -> kept.with(origin.resolve(dot))).orElse(kept));
  }

  @Override
  public Boolean value(State state, VectorClock snapshot) {
    return !state.enabled.isEmpty();
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
    state.enabled.write(out);
  }

  @Override
  public State readState(Decoder in) {
    return new State(DotSet.read(in));
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    effect.observed.write(out);
    out.writeFlag(effect.enabled.isPresent());
    effect.enabled.ifPresent(out::writeDot);
  }

  @Override
  public Effect readEffect(Decoder in) {
    DotSet observed = DotSet.read(in);
    return new Effect(observed, in.readFlag() ? Optional.of(in.readDot()) : Optional.empty());
  }
}
