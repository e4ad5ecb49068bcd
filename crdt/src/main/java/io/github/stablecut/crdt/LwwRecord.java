package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A record of columns, in each of which the last writer wins, that is there or not: a row of a
 * table. The same as a {@link RecursiveResetMap} of registers with one more that says that it is
 * there, in a flat form that takes half the bytes.
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Write}</td><td>the observed dots; a dot, the columns that get or lose a value</td><td>keeps the
 * record; of a column's values the one with the greatest dot is seen</td></tr>
 * <tr><td>{@link Reset}</td><td>the observed dots</td><td>undoes what it observed only</td></tr>
 * </table>
 *
 * <p>Value: empty if every write was observed by a reset; otherwise the columns, each with the
 * value that was written with the greatest dot of those that no other write to the column and no
 * reset has observed. Space: a dot and the values per write of which something is left; after a
 * reset nothing.
 *
 * <p>The state has the writes of which something is left. A write that is observed by a later one
 * leaves the columns that this does not name, and is forgotten if there are none: that the record
 * is there, the later write says. So the record is there as long as there are writes.
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
   * Sets columns; the record is there afterwards.
   *
   * @param columns by number, 0 or above; empty for a column that has no value afterwards. Those
   *     that it does not name stay
   */
  public record Write(SortedMap<Integer, Optional<Bytes>> columns) implements Operation {
    /** Copies the map. */
    public Write {
      columns = Collections.unmodifiableSortedMap(new TreeMap<>(columns));
      if (!columns.isEmpty() && columns.firstKey() < 0) {
        throw new IllegalArgumentException(
            "the number of a column is 0 or above, not " + columns.firstKey());
      }
    }
  }

  /** Removes the record with its columns. */
  public record Reset() implements Operation {}

  /** A write that has happened. */
  record Written(Dot dot, RecordColumns columns) {}

  /**
   * What happens to the record.
   *
   * @param observed the writes that go, or lose columns
   * @param written the one that comes; empty for a reset
   */
  public record Effect(DotSet observed, Optional<Written> written) {}

  /**
   * The writes of which something is left.
   *
   * @param writes the columns of each that no later one has observed, all with a value
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
  public Optional<Effect> downstreamReset(State state, OperationContext context, ResetBudget room) {
    return room.take(ResetBudget.OVERHEAD + ResetBudget.bytes(state.writes.size()))
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
    DotMap<RecordColumns> left =
        state.writes.revised(
            (dot, columns) -> observed.contains(dot) ? left(columns, effect) : columns);
    if (effect.written.isEmpty()) {
      return new State(left);
    }
    Written written = effect.written.get();
    return new State(left.with(origin.resolve(written.dot), written.columns.withValues()));
  }

  /** What an effect leaves of the columns of a write that it has observed; null if nothing. */
  private static @Nullable RecordColumns left(RecordColumns columns, Effect effect) {
    if (effect.written.isEmpty()) {
      return null;
    }
    RecordColumns left = columns.without(effect.written.get().columns);
    return left.isEmpty() ? null : left;
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

  /** What is observed is forgotten at once. */
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
