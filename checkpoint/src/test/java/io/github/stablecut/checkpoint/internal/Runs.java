package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.util.Map;
import java.util.SortedMap;

/** Helpers that write runs. */
final class Runs {
  static final WriteLimits LIMITS = new WriteLimits(1 << 20, 0, WriteLimits.Pace.FULL_SPEED);
  static final Checkpoint CHECKPOINT = Checkpoint.of(VectorClock.of(10), 5);
  static final long TYPE = 3;

  private Runs() {}

  /** Writes and opens a run named run-1 with a state for each id. */
  static RunFile write(Directory directory, IdHash hash, SortedMap<Bytes, byte[]> states)
      throws IOException {
    return write(directory, hash, states, SlotSorter.PART_SLOTS, FenceSpool.MEMORY_BYTES);
  }

  static RunFile write(
      Directory directory,
      IdHash hash,
      SortedMap<Bytes, byte[]> states,
      int partSlots,
      int fenceBytes)
      throws IOException {
    try (RunBuilder builder =
        new RunBuilder(directory, "run-1", hash, LIMITS, partSlots, fenceBytes)) {
      for (Map.Entry<Bytes, byte[]> state : states.entrySet()) {
        byte[] id = state.getKey().toArray();
        builder.add(RunFormat.stateEntry(id, TYPE, 9, state.getValue()));
      }
      ManifestFile name = builder.finish(CHECKPOINT, new byte[] {1, 2, 3});
      return RunFile.open(directory, name);
    }
  }
}
