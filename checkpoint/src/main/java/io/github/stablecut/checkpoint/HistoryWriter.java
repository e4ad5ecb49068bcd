package io.github.stablecut.checkpoint;

import io.github.stablecut.checkpoint.internal.Positions;
import io.github.stablecut.checkpoint.internal.RunBuilder;
import io.github.stablecut.checkpoint.internal.RunFormat;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;

/**
 * Writes a history file: for each object, in the order of ids, where in the journal its effects are
 * that lie between the low watermark and a checkpoint. Readers of old snapshots need them, and the
 * heap need not hold them. Otherwise as {@link RunWriter}.
 */
public final class HistoryWriter implements AutoCloseable {
  private final CheckpointStore store;
  private final RunBuilder builder;
  private final Checkpoint checkpoint;

  HistoryWriter(CheckpointStore store, RunBuilder builder, Checkpoint checkpoint) {
    this.store = store;
    this.builder = builder;
    this.checkpoint = checkpoint;
  }

  /**
   * Adds an object.
   *
   * @param positions ascending, each once, none below 0
   * @throws IllegalArgumentException if the id is not above the one before; nothing was added
   * @throws CheckpointDroppedException if it can't be written
   */
  public void put(Bytes id, long[] positions) {
    byte[] entry = RunFormat.stateEntry(id.toArray(), 0, 0, Positions.encode(positions));
    try {
      builder.add(entry);
    } catch (IOException e) {
      throw store.dropped(builder, e);
    }
  }

  /**
   * Completes the file and makes its bytes durable. It counts once a change adds it ({@link
   * ManifestChange#addHistory}).
   *
   * @throws CheckpointDroppedException if it can't be written
   */
  public ManifestFile finish() {
    try {
      return builder.finish(checkpoint, new byte[0]);
    } catch (IOException e) {
      throw store.dropped(builder, e);
    }
  }

  @Override
  public void close() {
    store.abandon(builder);
  }
}
