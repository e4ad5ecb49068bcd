package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where runs are, by what they begin with: for each data centre the first dots of its runs in
 * order, each with the number of the leaf that holds the run. Immutable.
 *
 * <p>Runs of one data centre don't interleave, so the run that may hold a dot is the one with the
 * greatest first dot at or below it.
 */
final class RunStarts {
  private static final int MIN_ENTRY_BYTES = 2;

  static final RunStarts EMPTY = new RunStarts(PersistentMap.empty());

  private final PersistentMap<Integer, PersistentMap<Dot, Integer>> leavesByStart;

  private RunStarts(PersistentMap<Integer, PersistentMap<Dot, Integer>> leavesByStart) {
    this.leavesByStart = leavesByStart;
  }

  /** The start at or below a dot and its leaf; null if there is none. */
  Map.@Nullable Entry<Dot, Integer> floor(Dot dot) {
    return of(dot).floorEntry(dot);
  }

  /** The start below a dot and its leaf; null if there is none. */
  Map.@Nullable Entry<Dot, Integer> lower(Dot dot) {
    return of(dot).lowerEntry(dot);
  }

  /** The start above a dot and its leaf; null if there is none. */
  Map.@Nullable Entry<Dot, Integer> higher(Dot dot) {
    return of(dot).higherEntry(dot);
  }

  /** Whether no run begins between one that begins at {@code start} and a later one. */
  boolean areNeighbours(Dot start, Dot later) {
    Map.Entry<Dot, Integer> before = lower(later);
    return before != null && before.getKey().equals(start);
  }

  /** Writes a map from data centres to maps from dots to leaves. */
  void write(Encoder out) {
    leavesByStart.write(
        out,
        (dataCentre, to) -> to.writeUnsigned(dataCentre),
        (leaves, to) ->
            leaves.write(to, (dot, of) -> of.writeDot(dot), (leaf, of) -> of.writeUnsigned(leaf)));
  }

  static RunStarts read(Decoder in) {
    return new RunStarts(
        PersistentMap.read(
            in,
            MIN_ENTRY_BYTES,
            Decoder::readIndex,
            from ->
                PersistentMap.read(from, MIN_ENTRY_BYTES, Decoder::readDot, Decoder::readIndex)));
  }

  RunStarts with(Dot start, Integer leaf) {
    return new RunStarts(leavesByStart.with(start.dataCentre(), of(start).with(start, leaf)));
  }

  RunStarts without(Dot start) {
    PersistentMap<Dot, Integer> rest = of(start).without(start);
    return new RunStarts(
        rest.isEmpty()
            ? leavesByStart.without(start.dataCentre())
            : leavesByStart.with(start.dataCentre(), rest));
  }

  private PersistentMap<Dot, Integer> of(Dot dot) {
    return leavesByStart.getOrDefault(dot.dataCentre(), PersistentMap.empty());
  }
}
