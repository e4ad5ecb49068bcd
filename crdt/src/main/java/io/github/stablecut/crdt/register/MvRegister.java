package io.github.stablecut.crdt.register;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.internal.state.DotMap;
import io.github.stablecut.crdt.internal.state.DotSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A register that keeps the values of concurrent assignments (DeCandia et al., "Dynamo", SOSP 2007;
 * Shapiro et al. 2011, section 3.2.2).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Assign}</td><td>the observed dots; value and dot</td><td>all stay</td></tr>
 * <tr><td>{@link Reset}</td><td>the observed dots</td><td>removes only what it observed</td></tr>
 * </table>
 *
 * <p>Value: the values that no other assignment or reset has observed, in ascending order,
 * including equal values of concurrent assignments. {@link #last} reads the register as a
 * last-writer-wins register. Space: a dot and a value per concurrent assignment.
 */
public final class MvRegister
    implements CrdtType<MvRegister.State, MvRegister.Operation, MvRegister.Effect, List<Bytes>> {
  /** The type. */
  public static final MvRegister TYPE = new MvRegister();

  private static final State EMPTY = new State(DotMap.empty());

  private MvRegister() {}

  /** The operations on the register. */
  public sealed interface Operation {}

  /** Replaces the values that the transaction sees with one value. */
  public record Assign(Bytes value) implements Operation {}

  /**
   * Replaces the values that the transaction sees with none. Clears the resettable form of a
   * last-writer-wins register.
   */
  record Erase() implements Operation {}

  /** Removes the values that the transaction sees. */
  public record Reset() implements Operation {}

  /**
   * The change of the register.
   *
   * @param observed the assignments that it removes
   * @param assigned the assignment that it adds, if any
   */
  public record Effect(DotSet observed, Optional<LwwRegister.Write> assigned) {}

  /**
   * The assignments that no other operation has observed.
   *
   * @param siblings their values
   */
  public record State(DotMap<Optional<Bytes>> siblings) {}

  @Override
  public int typeId() {
    return 6;
  }

  @Override
  public String name() {
    return "multi-value register";
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
    return new Reset();
  }

  @Override
  public Effect downstream(Operation operation, State state, OperationContext context) {
    return new Effect(
        state.siblings.dots(),
        operation instanceof Reset
            ? Optional.empty()
            : Optional.of(new LwwRegister.Write(context.dots().take(), valueOf(operation))));
  }

  private static Optional<Bytes> valueOf(Operation operation) {
    return operation instanceof Assign assign ? Optional.of(assign.value) : Optional.empty();
  }

  @Override
  public Optional<Operation> operation(Effect effect) {
    return Optional.of(
        effect.assigned.isPresent()
            ? effect.assigned.get().value().<Operation>map(Assign::new).orElseGet(Erase::new)
            : new Reset());
  }

  @Override
  public State apply(State state, Effect effect, EffectOrigin origin) {
    DotMap<Optional<Bytes>> kept = state.siblings.withoutObserved(effect.observed, origin);
    if (effect.assigned.isEmpty()) {
      return new State(kept);
    }
    LwwRegister.Write assigned = effect.assigned.get();
    return new State(kept.with(origin.resolve(assigned.dot()), assigned.value()));
  }

  @Override
  public List<Bytes> value(State state, VectorClock snapshot) {
    List<Bytes> values = new ArrayList<>();
    for (Map.Entry<Dot, Optional<Bytes>> sibling : state.siblings.events()) {
      sibling.getValue().ifPresent(values::add);
    }
    values.sort(null);
    return List.copyOf(values);
  }

  /** The value of the assignment with the greatest dot. */
  public static Optional<Bytes> last(State state) {
    return state.siblings.last().flatMap(value -> value);
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
    out.writeFlag(!(operation instanceof Reset));
    if (!(operation instanceof Reset)) {
      out.writeOptionalBytes(valueOf(operation));
    }
  }

  @Override
  public Operation readOperation(Decoder in) {
    return in.readFlag()
        ? in.readOptionalBytes().<Operation>map(Assign::new).orElseGet(Erase::new)
        : new Reset();
  }

  @Override
  public void writeState(State state, Encoder out) {
    state.siblings.write(out, (value, to) -> to.writeOptionalBytes(value));
  }

  @Override
  public State readState(Decoder in) {
    return new State(DotMap.read(in, 1, Decoder::readOptionalBytes));
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    effect.observed.write(out);
    out.writeFlag(effect.assigned.isPresent());
    effect.assigned.ifPresent(assigned -> LwwRegister.TYPE.writeEffect(assigned, out));
  }

  @Override
  public Effect readEffect(Decoder in) {
    DotSet observed = DotSet.read(in);
    return new Effect(
        observed, in.readFlag() ? Optional.of(LwwRegister.TYPE.readEffect(in)) : Optional.empty());
  }
}
