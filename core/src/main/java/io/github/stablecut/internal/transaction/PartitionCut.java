package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.backup.BackupWriter;
import java.io.IOException;

/** A partition's part of a {@link StoreBackup}, step by step. Confined to one thread. */
interface PartitionCut extends AutoCloseable {
  /** Has no checkpoints made from now on until {@link #release}. */
  void begin() throws IOException;

  /** Waits until the partition is complete at a snapshot, which was chosen after all have begun. */
  void complete(VectorClock at) throws IOException;

  /** Makes the checkpoint, after all are complete. */
  BackupWriter.Source make(VectorClock at) throws IOException;

  /** Has checkpoints made again. Idempotent; also if {@link #begin} has failed. */
  void release();

  /** Releases the checkpoint that was made. */
  @Override
  void close();
}
