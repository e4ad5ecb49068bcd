package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * A stream of entries: what is appended stays, in one order, under dense positions, until the
 * stream is trimmed (the materialised streams of Wei et al., "vCorfu", NSDI 2017, section 3.1).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Append}</td><td>entries and dots: blind</td><td>all stay, in the order of dots</td></tr>
 * <tr><td>{@link Trim}</td><td>the dot of the last entry that goes</td><td>the greatest dot counts</td></tr>
 * <tr><td>{@link Begin}</td><td>how many positions it skips</td><td>add up</td></tr>
 * </table>
 *
 * <p>Value: {@link StreamValue}. The first position is the number of entries that were trimmed or
 * skipped. In one data centre dots ascend in commit order, so an entry keeps its position for ever.
 * Entries that several data centres append concurrently are in the same order everywhere once both
 * are there; until then positions may shift. Space: the entries, a dot for each, and a few bytes.
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

  /** The type, of which a reader sees what a fold makes of the entries. */
  public static <S> CrdtType<?, ?, ?, S> folded(StreamFold<S> fold) {
    return HeldAs.shown(TYPE, new Folded<>(fold));
  }

  /** What a fold makes of a state; equal folds make the same. */
  private record Folded<S>(StreamFold<S> fold) implements BiFunction<State, VectorClock, S> {
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
   * @param isConditional whether its transaction may commit only if no other one has changed the
   *     stream since its snapshot
   */
  public record Append(List<Bytes> entries, boolean isConditional) implements Operation {
    /** Copies the list. */
    public Append {
      entries = List.copyOf(entries);
    }
  }

  /**
   * Lets go of the entries before a position. Nothing happens if they are gone already. An
   * operation with a position beyond the committed entries that the transaction sees is refused.
   *
   * @param before the position of the first entry that stays, 0 or more
   * @param summary what the stream says of all entries before it in their place
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
   * Makes a stream begin at a position, as a copy of another one does. Refused if anything was ever
   * appended.
   *
   * @param first the first position, 0 or more
   * @param summary what the stream says of all entries before it
   */
  public record Begin(long first, Optional<Bytes> summary) implements Operation {
    /** Checks the position. */
    public Begin {
      if (first < 0) {
        throw new IllegalArgumentException("a stream has no position " + first);
      }
    }
  }

  /** What happens to the stream. */
  public sealed interface Effect {}

  /**
   * Entries.
   *
   * @param first the dot of the first one; those of the others follow it
   */
  public record Appended(Dot first, List<Bytes> entries) implements Effect {}

  /**
   * The end of entries.
   *
   * @param last the dot of the last of them; empty if there are none
   * @param summary what is said in their place
   * @param skipped how many positions go that had no entry
   */
  public record Trimmed(Optional<Dot> last, Optional<Bytes> summary, long skipped)
      implements Effect {}

  /**
   * The stream.
   *
   * @param first its first position
   * @param bound no entry up to this dot stays; empty if none has to go
   * @param summary what is said of those
   * @param bytes how many bytes the entries have that stay
   * @param entries those
   * @param memo what a reader has made of the entries; no part of the state
   */
  public record State(
      long first,
      Optional<Dot> bound,
      Optional<Bytes> summary,
      long bytes,
      PersistentMap<Dot, Bytes> entries,
      StreamMemo memo) {
    /** Whether the same was done to both. */
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

    /** How many entries are of committed transactions. */
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

  /** A summary speaks for all entries before it: none may come between that it does not know. */
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
          "the stream can't be trimmed before position %,d: its committed entries are at %,d to %,d"
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
          "the stream has begun already, and is at position %,d: take one that nothing was done to"
              .formatted(state.tail()));
    }
    return new Trimmed(Optional.of(context.dots().take()), begin.summary, begin.first);
  }

  /** Whether an appending was conditional it does not say, nor the position of a trimming. */
  @Override
  public Optional<Operation> operation(Effect effect) {
    return effect instanceof Appended appended
        ? Optional.of(new Append(appended.entries, false))
        : Optional.empty();
  }

  /** Who only appends depends on nothing: all orders of commits are right. */
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
    boolean says = order > 0 || (order == 0 && isGreater(effect.summary, state.summary));
    PersistentMap<Dot, Bytes> entries = state.entries;
    long bytes = state.bytes;
    int gone = entries.rank(last, true);
    List<Map.Entry<Dot, Bytes>> trimmed = new ArrayList<>(gone);
    entries.visible(0, gone, false).forEachRemaining(trimmed::add);
    for (Map.Entry<Dot, Bytes> entry : trimmed) {
      entries = entries.without(entry.getKey());
      bytes -= entry.getValue().length();
    }
    return new State(
        state.first + gone + effect.skipped,
        Optional.of(order > 0 ? last : state.bound.orElse(last)),
        says ? effect.summary : state.summary,
        Math.max(0, bytes),
        entries,
        gone > 0 && effect.skipped == 0 ? state.memo.next() : new StreamMemo());
  }

  /** Of two that speak of the same entries one stays, the same everywhere. */
  private static boolean isGreater(Optional<Bytes> summary, Optional<Bytes> other) {
    return summary.isPresent() && (other.isEmpty() || summary.get().compareTo(other.get()) > 0);
  }

  @Override
  public StreamValue value(State state, VectorClock snapshot) {
    return new StreamValue(state);
  }

  /** Entries that are still to come may have dots at or before the bound: it stays. */
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
          throw new FormatException("an operation on a stream is of kind 0 to 3, not " + kind);
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
      default -> throw new FormatException("an effect on a stream is of kind 0 or 1, not " + kind);
    };
  }

  private static Appended readAppended(Decoder in) {
    Dot first = in.readDot();
    List<Bytes> entries = List.copyOf(in.readAll());
    if (first.index() > Integer.MAX_VALUE - entries.size()) {
      throw new FormatException("%d entries from %s on".formatted(entries.size(), first));
    }
    return new Appended(first, entries);
  }
}
