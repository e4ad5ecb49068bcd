package io.github.stablecut.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * The simplest model of a checkpoint store: a complete map for every checkpoint ever taken.
 * Immutable.
 *
 * @param cuts oldest first
 * @param low the low watermark
 * @param firstSegment the first segment of the journal that is needed
 */
record StoreModel(List<Cut> cuts, VectorClock low, int firstSegment) {
  static final StoreModel EMPTY = new StoreModel(List.of(), VectorClock.ZERO, 1);

  /**
   * One checkpoint.
   *
   * @param changes the entries of its run, {@link Checkpoints#DELETED} for a deletion
   * @param all the text of every object that has one
   * @param deleted the time of deletion of each deleted object
   * @param positions the entries of its history file; empty if it has none
   */
  record Cut(
      VectorClock at,
      SortedMap<Bytes, String> changes,
      SortedMap<Bytes, String> all,
      SortedMap<Bytes, VectorClock> deleted,
      SortedMap<Bytes, long[]> positions) {}

  VectorClock newest() {
    return cuts.isEmpty() ? VectorClock.ZERO : cuts.get(cuts.size() - 1).at;
  }

  /** This model with one more checkpoint. */
  StoreModel with(
      VectorClock at, SortedMap<Bytes, String> changes, SortedMap<Bytes, long[]> positions) {
    SortedMap<Bytes, String> all = new TreeMap<>();
    SortedMap<Bytes, VectorClock> deleted = new TreeMap<>();
    if (!cuts.isEmpty()) {
      all.putAll(cuts.get(cuts.size() - 1).all);
      deleted.putAll(cuts.get(cuts.size() - 1).deleted);
    }
    changes.forEach(
        (id, text) -> {
          if (text.equals(Checkpoints.DELETED)) {
            all.remove(id);
            deleted.put(id, at);
          } else {
            all.put(id, text);
            deleted.remove(id);
          }
        });
    List<Cut> longer = new ArrayList<>(cuts);
    longer.add(new Cut(at, changes, all, deleted, positions));
    return new StoreModel(List.copyOf(longer), low, firstSegment);
  }

  /** This model with a higher low watermark, and a shorter journal. */
  StoreModel withLow(VectorClock newLow) {
    return new StoreModel(cuts, newLow, firstSegment + 1);
  }

  /** Whether this is the model of a manifest's store. */
  boolean isOf(Manifest manifest) {
    return manifest.checkpointTime().equals(newest())
        && manifest.lowWatermark().equals(low)
        && manifest.firstSegment() == firstSegment;
  }

  /** Checks every query of a view, at each checkpoint's vector and at some in between. */
  void check(CheckpointView view) {
    assertThat(view.manifest().checkpointTime()).isEqualTo(newest());
    assertThat(view.manifest().lowWatermark()).isEqualTo(low);
    assertThat(view.manifest().firstSegment()).isEqualTo(firstSegment);
    for (Cut cut : cuts) {
      if (low.isAtOrBefore(cut.at)) {
        checkAt(view, cut.at);
        checkAt(view, cut.at.with(0, cut.at.get(0) + 1));
      }
    }
    view.verify(
        damage -> {
          throw damage;
        });
  }

  private void checkAt(CheckpointView view, VectorClock snapshot) {
    Optional<VectorClock> base = view.newestAt(snapshot).map(Checkpoint::at);
    Map<Bytes, String> expected = Map.of();
    if (base.isPresent()) {
      Cut cut = cuts.stream().filter(c -> c.at.equals(base.get())).findAny().orElseThrow();
      assertThat(low.isAtOrBefore(cut.at)).isTrue();
      expected = cut.all;
      for (Bytes id : ids()) {
        checkFind(view, cut, id, snapshot);
      }
    } else {
      assertThat(low).isEqualTo(VectorClock.ZERO);
    }
    assertThat(Checkpoints.scan(view, IdRange.all(), snapshot)).isEqualTo(expected);
    Bytes prefix = Bytes.utf8("a");
    Map<Bytes, String> withPrefix = new TreeMap<>(expected);
    withPrefix.keySet().removeIf(id -> !id.startsWith(prefix));
    assertThat(Checkpoints.scan(view, IdRange.prefix(prefix), snapshot)).isEqualTo(withPrefix);
  }

  private void checkFind(CheckpointView view, Cut cut, Bytes id, VectorClock snapshot) {
    Optional<RunEntry> entry = view.find(id, snapshot);
    Optional<String> text = entry.map(Checkpoints::text);
    if (cut.all.containsKey(id)) {
      assertThat(text).contains(cut.all.get(id));
    } else if (cut.deleted.containsKey(id) && !cut.deleted.get(id).isAtOrBefore(low)) {
      assertThat(text).contains(Checkpoints.DELETED);
      assertThat(entry.get().lastCommitTime()).isEqualTo(cut.deleted.get(id).max());
    } else {
      assertThat(text.filter(found -> !found.equals(Checkpoints.DELETED))).isEmpty();
    }
    assertThat(view.positionsAfter(id, cut.at)).isEqualTo(positionsAfter(id, cut.at));
  }

  private long[] positionsAfter(Bytes id, VectorClock base) {
    LongStream found = LongStream.empty();
    for (Cut cut : cuts) {
      if (!cut.at.isAtOrBefore(base) && !cut.at.isAtOrBefore(low)) {
        found =
            LongStream.concat(found, LongStream.of(cut.positions.getOrDefault(id, new long[0])));
      }
    }
    return found.sorted().toArray();
  }

  private SortedMap<Bytes, Boolean> allIds() {
    SortedMap<Bytes, Boolean> ids = new TreeMap<>();
    ids.put(Bytes.utf8("never written"), true);
    cuts.forEach(cut -> cut.changes.keySet().forEach(id -> ids.put(id, true)));
    return ids;
  }

  private Iterable<Bytes> ids() {
    return allIds().keySet();
  }
}
