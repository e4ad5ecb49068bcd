package io.github.stablecut.crdt.stream;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.internal.state.HeldAs;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * A stream of entries: appended entries stay in one order, at dense positions, until the stream is
 * trimmed (the materialized streams of Wei et al., "vCorfu", NSDI 2017, section 3.1).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Append}</td><td>entries and dots: blind</td><td>all stay, ordered by dot</td></tr>
 * <tr><td>{@link Trim}</td><td>the dot of the last entry to remove</td><td>the greatest dot wins</td></tr>
 * <tr><td>{@link Begin}</td><td>the number of positions to skip</td><td>add up</td></tr>
 * </table>
 *
 * <p>Value: {@link StreamValue}. The first position is the number of trimmed entries and skipped
 * positions. In one data centre dots ascend in commit order, so an entry keeps its position
 * forever. Entries that data centres append concurrently have the same order everywhere once all
 * have arrived; until then positions may shift. Space: the entries, a dot per entry, and a few
 * bytes.
 */
public final class EntryStream
    implements CrdtType<EntryStream.State, EntryStream.Operation, EntryStream.Effect, StreamValue> {
  /** The type. */
  public static final EntryStream TYPE = new EntryStream();

  private static final int MIN_ENTRY_BYTES = 3;
  private static final int APPENDED = 0;
  private static final int TRIMMED = 1;
  private static final int BEGUN = 2;
  private static final int APPENDED_IF_UNCHANGED = 3;

  private EntryStream() {}

  /** The type with a fold of the entries as its value. */
  public static <S> CrdtType<?, ?, ?, S> folded(StreamFold<S> fold) {
    return HeldAs.shown(TYPE, new StateFold<>(fold));
  }

  /** Applies a fold to a state; equal for equal folds. */
  private record StateFold<S>(StreamFold<S> fold) implements BiFunction<State, VectorClock, S> {
    @Override
    public S apply(State state, VectorClock snapshot) {
      return new StreamValue(state).fold(fold);
    }
  }

  /** The operations on the stream. */
  public sealed interface Operation {}

  /**
   * Appends entries.
   *
   * @param isConditional whether its transaction may commit only if no other transaction has
   *     changed the stream since its snapshot
   */
  public record Append(List<Bytes> entries, boolean isConditional) implements Operation {
    /** Copies the list. */
    public Append {
      entries = List.copyOf(entries);
    }
  }

  /**
   * Removes the entries before a position. Changes nothing if they are already removed. Refused for
   * a position beyond the committed entries that the transaction sees.
   *
   * @param before the position of the first entry to keep, 0 or more
   * @param summary an entry that replaces all entries before that position
   */
  public record Trim(long before, Optional<Bytes> summary) implements Operation {
    /** Checks the position. */
    public Trim {
      if (before < 0) {
        throw new IllegalArgumentException("a stream has no position " + before);
      }
    }
  }

  /**
   * Sets the first position of a new stream, for a copy of another stream. Refused if anything was
   * ever appended.
   *
   * @param first the first position, 0 or more
   * @param summary an entry that stands for all entries before that position
   */
  public record Begin(long first, Optional<Bytes> summary) implements Operation {
    /** Checks the position. */
    public Begin {
      if (first < 0) {
        throw new IllegalArgumentException("a stream has no position " + first);
      }
    }
  }

  /** The change of the stream. */
  public sealed interface Effect {}

  /**
   * Entries to append.
   *
   * @param first the dot of the first entry; the other entries have the dots that follow
   */
  public record Appended(Dot first, List<Bytes> entries) implements Effect {}

  /**
   * The removal of the oldest entries.
   *
   * @param last the dot of the last entry to remove; empty if there is none
   * @param summary an entry that replaces them
   * @param skipped the number of positions without an entry to skip
   */
  public record Trimmed(Optional<Dot> last, Optional<Bytes> summary, long skipped)
      implements Effect {}

  /**
   * The entries and what replaces the trimmed ones.
   *
   * @param first the first position
   * @param bound entries with dots at or below this are trimmed; empty if none are
   * @param summary stands for the trimmed entries
   * @param bytes the total length of {@code entries}
   * @param entries the remaining entries
   * @param memo a cached fold of the entries; not part of the state
   */
  public record State(
      long first,
      Optional<Dot> bound,
      Optional<Bytes> summary,
      long bytes,
      PersistentMap<Dot, Bytes> entries,
      StreamMemo memo) {
    /** Compares everything except {@code bytes} and {@code memo}. */
    @Override
    public boolean equals(Object other) {
      return other instanceof State that
          && first == that.first
          && bound.equals(that.bound)
          && summary.equals(that.summary)
          && entries.equals(that.entries);
    }

    @Override
    public int hashCode() {
      return 31 * Long.hashCode(first) + entries.hashCode();
    }

    /** The number of entries of committed transactions. */
    int committed() {
      return entries.rank(Dot.self(0), false);
    }

    long tail() {
      return first + entries.size();
    }
  }

  @Override
  public int typeId() {
    return 22;
  }

  @Override
  public String name() {
    return "stream";
  }

  @Override
  public State initial() {
    return new State(
        0, Optional.empty(), Optional.empty(), 0, PersistentMap.empty(), new StreamMemo());
  }

  @Override
  public boolean needsState(Operation operation) {
    return !(operation instanceof Append);
  }

  /**
   * A summary stands for all entries before it, so a concurrent transaction must not add one that
   * the summary omits.
   */
  @Override
  public boolean needsCertification(Operation operation) {
    if (operation instanceof Append append) {
      return append.isConditional;
    }
    return operation instanceof Begin || ((Trim) operation).summary.isPresent();
  }

  @Override
  public Effect downstream(Operation operation, State state, OperationContext context) {
    if (operation instanceof Append append) {
      return new Appended(context.dots().take(append.entries.size()), append.entries);
    }
    return operation instanceof Trim trim
        ? trimmed(trim, state)
        : begun((Begin) operation, state, context);
  }

  private static Effect trimmed(Trim trim, State state) {
    int count = (int) Math.min(Math.max(0, trim.before - state.first), Integer.MAX_VALUE);
    if (count > state.committed()) {
      throw new OperationRefusedException(
          "the stream can't be trimmed before position %,d: its committed entries are at positions %,d to %,d"
              .formatted(trim.before, state.first, state.first + state.committed() - 1));
    }
    if (count == 0) {
      return new Trimmed(Optional.empty(), Optional.empty(), 0);
    }
    Dot last = state.entries.visible(count - 1, count, false).next().getKey();
    return new Trimmed(Optional.of(last), trim.summary, 0);
  }

  private static Effect begun(Begin begin, State state, OperationContext context) {
    if (state.tail() > 0) {
      throw new OperationRefusedException(
          "the stream already has entries up to position %,d: use a new stream"
              .formatted(state.tail()));
    }
    return new Trimmed(Optional.of(context.dots().take()), begin.summary, begin.first);
  }

  /** An effect has neither the condition of an append nor the position of a trim. */
  @Override
  public Optional<Operation> operation(Effect effect) {
    return effect instanceof Appended appended
        ? Optional.of(new Append(appended.entries, false))
        : Optional.empty();
  }

  /** An unconditional append depends on nothing: any commit order is correct. */
  @Override
  public List<Footprint> footprints(Operation operation) {
    return operation instanceof Append append && !append.isConditional
        ? List.of()
        : List.of(Footprint.whole());
  }

  @Override
  public State apply(State state, Effect effect, EffectOrigin origin) {
    return effect instanceof Appended appended
        ? with(state, appended, origin)
        : without(state, (Trimmed) effect, origin);
  }

  private static State with(State state, Appended effect, EffectOrigin origin) {
    Dot dot = origin.resolve(effect.first);
    long first = state.first;
    long bytes = state.bytes;
    PersistentMap<Dot, Bytes> entries = state.entries;
    boolean isInOrder = entries.higherEntry(dot) == null;
    for (Bytes entry : effect.entries) {
      if (state.bound.isPresent() && dot.compareTo(state.bound.get()) <= 0) {
        first++;
        isInOrder = false;
      } else {
        entries = entries.with(dot, entry);
        bytes += entry.length();
      }
      dot = dot.plus(1);
    }
    StreamMemo memo = isInOrder ? state.memo.next() : new StreamMemo();
    return new State(first, state.bound, state.summary, bytes, entries, memo);
  }

  private static State without(State state, Trimmed effect, EffectOrigin origin) {
    if (effect.last.isEmpty()) {
      return state;
    }
    Dot last = origin.resolve(effect.last.get());
    int order = state.bound.map(last::compareTo).orElse(1);
    boolean winsSummary = order > 0 || (order == 0 && isGreater(effect.summary, state.summary));
    PersistentMap<Dot, Bytes> entries = state.entries;
    long bytes = state.bytes;
    int removed = entries.rank(last, true);
    List<Map.Entry<Dot, Bytes>> trimmed = new ArrayList<>(removed);
    entries.visible(0, removed, false).forEachRemaining(trimmed::add);
    for (Map.Entry<Dot, Bytes> entry : trimmed) {
      entries = entries.without(entry.getKey());
      bytes -= entry.getValue().length();
    }
    return new State(
        state.first + removed + effect.skipped,
        Optional.of(order > 0 ? last : state.bound.orElse(last)),
        winsSummary ? effect.summary : state.summary,
        Math.max(0, bytes),
        entries,
        removed > 0 && effect.skipped == 0 ? state.memo.next() : new StreamMemo());
  }

  /** Orders two summaries of the same entries, so that every replica keeps the same one. */
  private static boolean isGreater(Optional<Bytes> summary, Optional<Bytes> other) {
    return summary.isPresent() && (other.isEmpty() || summary.get().compareTo(other.get()) > 0);
  }

  @Override
  public StreamValue value(State state, VectorClock snapshot) {
    return new StreamValue(state);
  }

  /** The bound stays, because entries with dots at or before it may still arrive. */
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
    if (operation instanceof Append append) {
      out.writeByte(append.isConditional ? APPENDED_IF_UNCHANGED : APPENDED);
      out.writeAll(append.entries);
    } else if (operation instanceof Trim trim) {
      out.writeByte(TRIMMED);
      out.writeUnsigned(trim.before);
      out.writeOptionalBytes(trim.summary);
    } else {
      Begin begin = (Begin) operation;
      out.writeByte(BEGUN);
      out.writeUnsigned(begin.first);
      out.writeOptionalBytes(begin.summary);
    }
  }

  @Override
  public Operation readOperation(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case APPENDED, APPENDED_IF_UNCHANGED ->
          new Append(in.readAll(), kind == APPENDED_IF_UNCHANGED);
      case TRIMMED -> new Trim(in.readUnsigned(), in.readOptionalBytes());
      case BEGUN -> new Begin(in.readUnsigned(), in.readOptionalBytes());
      default ->
          throw new FormatException("unknown kind of stream operation, expected 0 to 3: " + kind);
    };
  }

  @Override
  public void writeState(State state, Encoder out) {
    out.writeUnsigned(state.first);
    out.writeFlag(state.bound.isPresent());
    state.bound.ifPresent(out::writeDot);
    out.writeOptionalBytes(state.summary);
    out.writeUnsigned(state.bytes);
    state.entries.write(
        out, (dot, to) -> to.writeDot(dot), (entry, to) -> to.writeBytes(entry), entry -> true);
  }

  @Override
  public State readState(Decoder in) {
    return new State(
        in.readUnsigned(),
        in.readFlag() ? Optional.of(in.readDot()) : Optional.empty(),
        in.readOptionalBytes(),
        in.readUnsigned(),
        PersistentMap.read(in, MIN_ENTRY_BYTES, Decoder::readDot, Decoder::readBytes),
        new StreamMemo());
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    if (effect instanceof Appended appended) {
      out.writeByte(APPENDED);
      out.writeDot(appended.first);
      out.writeAll(appended.entries);
    } else {
      Trimmed trimmed = (Trimmed) effect;
      out.writeByte(TRIMMED);
      out.writeFlag(trimmed.last.isPresent());
      trimmed.last.ifPresent(out::writeDot);
      out.writeOptionalBytes(trimmed.summary);
      out.writeUnsigned(trimmed.skipped);
    }
  }

  @Override
  public Effect readEffect(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case APPENDED -> readAppended(in);
      case TRIMMED ->
          new Trimmed(
              in.readFlag() ? Optional.of(in.readDot()) : Optional.empty(),
              in.readOptionalBytes(),
              in.readUnsigned());
      default ->
          throw new FormatException("unknown kind of stream effect, expected 0 or 1: " + kind);
    };
  }

  private static Appended readAppended(Decoder in) {
    Dot first = in.readDot();
    List<Bytes> entries = List.copyOf(in.readAll());
    if (first.index() > Integer.MAX_VALUE - entries.size()) {
      throw new FormatException(
          "%d entries from %s on: too many for the index of a dot"
              .formatted(entries.size(), first));
    }
    return new Appended(first, entries);
  }
}
