package io.github.stablecut.crdt.register;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.ResetBudget;
import io.github.stablecut.crdt.internal.state.DotMap;
import io.github.stablecut.crdt.internal.state.DotSet;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A record, present or absent, whose columns are last-writer-wins registers: a row of a table.
 * Equivalent to a {@link RecursiveResetMap} of registers, one of which marks its presence, in a
 * flat form with half the bytes.
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Write}</td><td>the observed dots; a dot and the columns that it sets or clears</td><td>keeps the record; per column the value with the greatest dot wins</td></tr>
 * <tr><td>{@link Reset}</td><td>the observed dots</td><td>undoes only what it observed</td></tr>
 * </table>
 *
 * <p>Value: empty if resets have observed every write; otherwise the columns. A column's value is
 * that of the write with the greatest dot, among writes that no other write to the column and no
 * reset has observed. Space: a dot and the remaining values per write; nothing after a reset.
 *
 * <p>The state has the writes with remaining columns, and the newest writes even without any. A
 * later write that has observed an earlier one leaves only columns that it does not name, and
 * discards the earlier write if none remain: the later one keeps the record present. So the record
 * is present as long as there are writes.
 */
public final class LwwRecord
    implements CrdtType<
        LwwRecord.State,
        LwwRecord.Operation,
        LwwRecord.Effect,
        Optional<SortedMap<Integer, Bytes>>> {
  /** The type. */
  public static final LwwRecord TYPE = new LwwRecord();

  private static final State EMPTY = new State(DotMap.empty());

  private LwwRecord() {}

  /** The operations on the record. */
  public sealed interface Operation {}

  /**
   * Sets or clears columns and makes the record present.
   *
   * @param columns the values by column number, 0 or above; empty to clear a column. Other columns
   *     stay unchanged
   */
  public record Write(SortedMap<Integer, Optional<Bytes>> columns) implements Operation {
    /** Copies the map. */
    public Write {
      columns = Collections.unmodifiableSortedMap(new TreeMap<>(columns));
      if (!columns.isEmpty() && columns.firstKey() < 0) {
        throw new IllegalArgumentException(
            "a column number must be 0 or above, not " + columns.firstKey());
      }
    }
  }

  /** Removes the record with its columns. */
  public record Reset() implements Operation {}

  /** A write with its event. */
  record Written(Dot dot, RecordColumns columns) {}

  /**
   * The change of the record.
   *
   * @param observed the writes that it removes, or from which it removes columns
   * @param written the write that it adds; empty for a reset
   */
  public record Effect(DotSet observed, Optional<Written> written) {}

  /**
   * The writes that are still in effect.
   *
   * @param writes each write's columns that no later write has replaced, all with a value
   */
  public record State(DotMap<RecordColumns> writes) {}

  @Override
  public int typeId() {
    return 14;
  }

  @Override
  public String name() {
    return "last-writer-wins record";
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
        state.writes.dots(),
        operation instanceof Write write
            ? Optional.of(new Written(context.dots().take(), RecordColumns.of(write.columns)))
            : Optional.empty());
  }

  @Override
  public Optional<Effect> downstreamReset(
      State state, OperationContext context, ResetBudget budget) {
    return budget.tryTake(ResetBudget.OVERHEAD + ResetBudget.bytes(state.writes.size()))
        ? downstreamReset(state, context)
        : Optional.empty();
  }

  @Override
  public Optional<Operation> operation(Effect effect) {
    return Optional.of(
        effect.written.isPresent() ? new Write(effect.written.get().columns.toMap()) : new Reset());
  }

  @Override
  public State apply(State state, Effect effect, EffectOrigin origin) {
    DotSet observed = effect.observed.resolve(origin);
    DotMap<RecordColumns> remaining =
        state.writes.revised(
            (dot, columns) -> observed.contains(dot) ? remaining(columns, effect) : columns);
    if (effect.written.isEmpty()) {
      return new State(remaining);
    }
    Written written = effect.written.get();
    return new State(remaining.with(origin.resolve(written.dot), written.columns.withValues()));
  }

  /** The columns of an observed write that remain after an effect; null if none. */
  private static @Nullable RecordColumns remaining(RecordColumns columns, Effect effect) {
    if (effect.written.isEmpty()) {
      return null;
    }
    RecordColumns remaining = columns.without(effect.written.get().columns);
    return remaining.isEmpty() ? null : remaining;
  }

  @Override
  public Optional<SortedMap<Integer, Bytes>> value(State state, VectorClock snapshot) {
    if (state.writes.isEmpty()) {
      return Optional.empty();
    }
    TreeMap<Integer, Bytes> columns = new TreeMap<>();
    state.writes.forEach((dot, written) -> written.putInto(columns));
    return Optional.of(Collections.unmodifiableSortedMap(columns));
  }

  /** Effects discard observed writes at once, so nothing is left to prune. */
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
    out.writeFlag(operation instanceof Write);
    if (operation instanceof Write write) {
      RecordColumns.of(write.columns).writeChanges(out);
    }
  }

  @Override
  public Operation readOperation(Decoder in) {
    return in.readFlag() ? new Write(RecordColumns.readChanges(in).toMap()) : new Reset();
  }

  @Override
  public void writeState(State state, Encoder out) {
    state.writes.write(out, RecordColumns::write);
  }

  @Override
  public State readState(Decoder in) {
    return new State(DotMap.read(in, 1, RecordColumns::read));
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    effect.observed.write(out);
    out.writeFlag(effect.written.isPresent());
    if (effect.written.isPresent()) {
      out.writeDot(effect.written.get().dot);
      effect.written.get().columns.writeChanges(out);
    }
  }

  @Override
  public Effect readEffect(Decoder in) {
    DotSet observed = DotSet.read(in);
    return new Effect(
        observed,
        in.readFlag()
            ? Optional.of(new Written(in.readDot(), RecordColumns.readChanges(in)))
            : Optional.empty());
  }
}
