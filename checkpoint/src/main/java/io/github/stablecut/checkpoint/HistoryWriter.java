package io.github.stablecut.checkpoint;

import io.github.stablecut.checkpoint.internal.JournalPositions;
import io.github.stablecut.checkpoint.internal.RunFormat;
import io.github.stablecut.crdt.Bytes;

/**
 * Writes a history file: for each object, in the order of ids, the journal positions of its effects
 * between the low watermark and a checkpoint. Readers of old snapshots need them, and the heap need
 * not hold them. Otherwise like {@link RunWriter}.
 */
public final class HistoryWriter implements AutoCloseable {
  private final PendingFile file;

  HistoryWriter(PendingFile file) {
    this.file = file;
  }

  /**
   * Adds an object.
   *
   * @param positions strictly ascending, none negative
   * @throws IllegalArgumentException if the id is not above the previous one; nothing was added
   * @throws CheckpointDroppedException if it can't be written; the file was dropped
   */
  public void put(Bytes id, long[] positions) {
    file.add(RunFormat.stateEntry(id.toArray(), 0, 0, JournalPositions.encode(positions)));
  }

  /**
   * Completes the file and makes its bytes durable. It counts once a change adds it ({@link
   * ManifestChange#addHistory}).
   *
   * @throws CheckpointDroppedException if it can't be written; the file was dropped
   */
  public ManifestFile finish() {
    return file.finish(new byte[0]);
  }

  @Override
  public void close() {
    file.close();
  }
}
