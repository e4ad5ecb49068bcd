package io.github.stablecut.checkpoint;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Something that is done to a store: to the real one, and to the model of it. Immutable. */
sealed interface StoreStep {
  /**
   * What the model is after this step.
   *
   * @param manifest of the store before it
   */
  StoreModel applyTo(StoreModel model, Manifest manifest);

  /** Does it; the model is what the store was before. */
  void applyTo(CheckpointStore store, StoreModel before);

  /**
   * A checkpoint.
   *
   * @param dataCentre whose entry of the vector moves on
   * @param ids numbers of the objects that changed; some are deleted
   * @param hasHistory whether effects leave the heap with it
   */
  record Take(int dataCentre, List<Integer> ids, boolean hasHistory) implements StoreStep {
    private VectorClock at(StoreModel before) {
      VectorClock newest = before.newest();
      return newest.with(dataCentre, newest.max() + 10);
    }

    private SortedMap<Bytes, String> changes(StoreModel before) {
      SortedMap<Bytes, String> changes = new TreeMap<>();
      for (int id : ids) {
        String text = id + " at " + at(before);
        changes.put(id(id), before.cuts().size() % 3 == id % 4 ? Checkpoints.DELETED : text);
      }
      return changes;
    }

    private static Bytes id(int number) {
      return Bytes.utf8((number % 2 == 0 ? "a/" : "b/") + number);
    }

    private SortedMap<Bytes, long[]> positions(StoreModel before) {
      SortedMap<Bytes, long[]> positions = new TreeMap<>();
      if (hasHistory) {
        long first = before.cuts().size() * 1_000L;
        ids.forEach(id -> positions.put(id(id), new long[] {first + id, first + id + 500}));
      }
      return positions;
    }

    @Override
    public StoreModel applyTo(StoreModel model, Manifest manifest) {
      return model.with(at(model), changes(model), positions(model));
    }

    @Override
    public void applyTo(CheckpointStore store, StoreModel before) {
      if (!hasHistory) {
        Checkpoints.checkpoint(store, at(before), changes(before));
        return;
      }
      try (RunWriter runWriter = Checkpoints.begin(store, at(before));
          HistoryWriter historyWriter = store.beginHistory(Checkpoint.of(at(before), 1))) {
        ManifestFile run = Checkpoints.write(runWriter, at(before), changes(before));
        positions(before).forEach(historyWriter::put);
        ManifestFile history = historyWriter.finish();
        store.commit(change -> change.addRun(run).addHistory(history));
      }
    }
  }

  /**
   * Raises the low watermark to a run's vector, and lets go of a segment of the journal.
   *
   * @param run the number of the run, counted from the newest; the oldest if there are fewer
   */
  record Raise(int run) implements StoreStep {
    @Override
    public StoreModel applyTo(StoreModel model, Manifest manifest) {
      return model.withLow(target(manifest));
    }

    private VectorClock target(Manifest manifest) {
      List<ManifestFile> runs = manifest.runs();
      if (runs.isEmpty()) {
        return manifest.lowWatermark();
      }
      VectorClock at = runs.get(Math.max(0, runs.size() - 1 - run)).at();
      return manifest.lowWatermark().isAtOrBefore(at) ? at : manifest.lowWatermark();
    }

    @Override
    public void applyTo(CheckpointStore store, StoreModel before) {
      VectorClock target = target(store.status().manifest());
      store.commit(change -> change.lowWatermark(target).firstSegment(before.firstSegment() + 1));
    }
  }

  /** Merges until there is nothing to merge. */
  record Compact() implements StoreStep {
    @Override
    public StoreModel applyTo(StoreModel model, Manifest manifest) {
      return model;
    }

    @Override
    public void applyTo(CheckpointStore store, StoreModel before) {
      while (store.compact(MergeProgress.NONE)) {
        store.reclaim();
      }
    }
  }
}
