package io.github.stablecut.checkpoint;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** A step applied to a store and to its model. Immutable. */
sealed interface StoreStep {
  /**
   * The model after this step.
   *
   * @param manifest the manifest of the store before the step
   */
  StoreModel applyTo(StoreModel model, Manifest manifest);

  /** Applies this step to a store, given the model before it. */
  void applyTo(CheckpointStore store, StoreModel before);

  /**
   * A checkpoint.
   *
   * @param dataCentre the data centre whose entry of the vector advances
   * @param ids the numbers of the changed objects; some are deleted
   * @param hasHistory whether it has a history file
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
   * Raises the low watermark to a run's vector, and releases a segment of the journal.
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

  /** Merges until there is nothing left to merge. */
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
