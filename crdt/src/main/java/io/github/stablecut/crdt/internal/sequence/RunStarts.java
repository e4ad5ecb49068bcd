package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.internal.sequence.RunNode.Leaf;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An index of runs: for each data centre, the first dots of its runs in order, each with the number
 * of the run's leaf. Immutable.
 *
 * <p>Runs of one data centre don't interleave, so only the run with the greatest first dot at or
 * below a dot can contain it.
 */
final class RunStarts {
  private static final int MIN_ENTRY_BYTES = 2;

  static final RunStarts EMPTY = new RunStarts(PersistentMap.empty());

  private final PersistentMap<Integer, PersistentMap<Dot, Integer>> leavesByStart;

  /**
   * The cached greatest start of one data centre, which new elements mostly follow; null until
   * first used. Accessed without a lock: a thread that misses it searches.
   */
  private Map.@Nullable Entry<Dot, Integer> greatest;

  private RunStarts(PersistentMap<Integer, PersistentMap<Dot, Integer>> leavesByStart) {
    this.leavesByStart = leavesByStart;
  }

  /** The greatest start at or below a dot, with its leaf; null if there is none. */
  Map.@Nullable Entry<Dot, Integer> floor(Dot dot) {
    Map.Entry<Dot, Integer> last = greatest(dot);
    return last == null || last.getKey().compareTo(dot) <= 0 ? last : of(dot).floorEntry(dot);
  }

  /** The greatest start below a dot, with its leaf; null if there is none. */
  Map.@Nullable Entry<Dot, Integer> lower(Dot dot) {
    Map.Entry<Dot, Integer> last = greatest(dot);
    return last == null || last.getKey().compareTo(dot) < 0 ? last : of(dot).lowerEntry(dot);
  }

  /** The greatest start in a dot's data centre, with its leaf; null if there is none. */
  private Map.@Nullable Entry<Dot, Integer> greatest(Dot dot) {
    Map.Entry<Dot, Integer> cached = greatest;
    if (cached == null || cached.getKey().dataCentre() != dot.dataCentre()) {
      cached = of(dot).lastEntry();
      greatest = cached;
    }
    return cached;
  }

  /** The least start above a dot, with its leaf; null if there is none. */
  Map.@Nullable Entry<Dot, Integer> higher(Dot dot) {
    return of(dot).higherEntry(dot);
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

  /** Replaces the starts of a leaf's previous version with those of the leaf. */
  <C> RunStarts with(Leaf<C> before, Leaf<C> leaf) {
    int from = 0;
    int end = Math.min(before.runs.length, leaf.runs.length);
    while (from < end && before.runs[from] == leaf.runs[from]) {
      from++;
    }
    int beforeEnd = before.runs.length;
    int leafEnd = leaf.runs.length;
    while (Math.min(beforeEnd, leafEnd) > from
        && before.runs[beforeEnd - 1] == leaf.runs[leafEnd - 1]) {
      beforeEnd--;
      leafEnd--;
    }
    List<Run<C>> removed = Arrays.asList(before.runs).subList(from, beforeEnd);
    List<Run<C>> added = Arrays.asList(leaf.runs).subList(from, leafEnd);
    RunStarts changed = this;
    for (Run<C> run : removed) {
      Dot start = run.ids().first();
      changed = beginsWith(start, added) ? changed : changed.without(start);
    }
    for (Run<C> run : added) {
      Dot start = run.ids().first();
      changed = beginsWith(start, removed) ? changed : changed.with(start, leaf.number);
    }
    return changed;
  }

  private static <C> boolean beginsWith(Dot start, List<Run<C>> runs) {
    for (Run<C> run : runs) {
      if (run.ids().first().equals(start)) {
        return true;
      }
    }
    return false;
  }

  private PersistentMap<Dot, Integer> of(Dot dot) {
    return leavesByStart.getOrDefault(dot.dataCentre(), PersistentMap.empty());
  }
}
