package io.github.stablecut.crdt.register;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.internal.state.HeldAs;
import java.util.Optional;

/**
 * A last-writer-wins register (Johnson and Thomas, RFC 677, 1975).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Assign}</td><td>value and dot: blind</td><td>the greater dot wins</td></tr>
 * <tr><td>{@link Clear}</td><td>dot: blind</td><td>the greater dot wins</td></tr>
 * </table>
 *
 * <p>Value: that of the assignment with the greatest dot; empty without assignments, or if a
 * clearing has a greater dot. The order of dots extends causality, so an operation always wins over
 * those it has observed, whatever the machines' clocks say. Space: the value and one dot; nothing
 * once a clearing is stable.
 */
public final class LwwRegister
    implements CrdtType<
        LwwRegister.State, LwwRegister.Operation, LwwRegister.Write, Optional<Bytes>> {
  /** The type. */
  public static final LwwRegister TYPE = new LwwRegister();

  private static final State EMPTY = new State(Optional.empty());

  /**
   * The resettable form. An assignment to a {@link MvRegister} may discard the assignments it has
   * observed, because a reset that cancels it cancels them too.
   */
  private static final HeldAs<?, Operation, ?, ?, Optional<Bytes>> RESETTABLE =
      new HeldAs<>(
          TYPE,
          MvRegister.TYPE,
          operation ->
              operation instanceof Assign assign
                  ? new MvRegister.Assign(assign.value)
                  : new MvRegister.Erase(),
          LwwRegister::plain,
          (state, snapshot) -> MvRegister.last(state));

  private LwwRegister() {}

  private static Optional<Operation> plain(MvRegister.Operation operation) {
    if (operation instanceof MvRegister.Assign assign) {
      return Optional.of(new Assign(assign.value()));
    }
    return operation instanceof MvRegister.Erase ? Optional.of(new Clear()) : Optional.empty();
  }

  /** The operations on the register. */
  public sealed interface Operation {}

  /** Assigns a value. */
  public record Assign(Bytes value) implements Operation {}

  /** Removes the value. */
  public record Clear() implements Operation {}

  /**
   * An operation with its event.
   *
   * @param dot the operation's event
   * @param value the assigned value; empty if the register was cleared
   */
  public record Write(Dot dot, Optional<Bytes> value) {}

  /**
   * The winner so far.
   *
   * @param winner empty without operations, or if the winner was pruned
   */
  public record State(Optional<Write> winner) {}

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
  public boolean needsState(Operation operation) {
    return false;
  }

  @Override
  public Optional<Operation> deletion() {
    return Optional.of(new Clear());
  }

  @Override
  public Write downstream(Operation operation, State state, OperationContext context) {
    return new Write(context.dots().take(), valueOf(operation));
  }

  private static Optional<Bytes> valueOf(Operation operation) {
    return operation instanceof Assign assign ? Optional.of(assign.value) : Optional.empty();
  }

  @Override
  public Optional<Operation> operation(Write effect) {
    return Optional.of(effect.value.isPresent() ? new Assign(effect.value.get()) : new Clear());
  }

  @Override
  public State apply(State state, Write effect, EffectOrigin origin) {
    Dot dot = origin.resolve(effect.dot);
    if (state.winner.isPresent() && state.winner.get().dot.compareTo(dot) > 0) {
      return state;
    }
    return new State(Optional.of(new Write(dot, effect.value)));
  }

  @Override
  public Optional<Bytes> value(State state, VectorClock snapshot) {
    return state.winner.flatMap(Write::value);
  }

  /**
   * Discards a clearing at or below the frontier: every later operation has observed it and wins
   * over it.
   */
  @Override
  public State prune(State state, VectorClock frontier) {
    return !isSettled(state) && state.winner.orElseThrow().dot.isAtOrBefore(frontier)
        ? EMPTY
        : state;
  }

  @Override
  public boolean isSettled(State state) {
    return state.winner.isEmpty() || state.winner.get().value.isPresent();
  }

  @Override
  public CrdtType<?, Operation, ?, Optional<Bytes>> resettable() {
    return RESETTABLE;
  }

  @Override
  public void writeOperation(Operation operation, Encoder out) {
    out.writeOptionalBytes(valueOf(operation));
  }

  @Override
  public Operation readOperation(Decoder in) {
    return in.readOptionalBytes().<Operation>map(Assign::new).orElseGet(Clear::new);
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
  public void writeEffect(Write effect, Encoder out) {
    out.writeDot(effect.dot);
    out.writeOptionalBytes(effect.value);
  }

  @Override
  public Write readEffect(Decoder in) {
    return new Write(in.readDot(), in.readOptionalBytes());
  }
}
