package io.github.stablecut.internal.transaction.datacentre;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.backup.BackupWriter;
import java.io.IOException;

/** A partition's part of a {@link StoreBackup}, made in steps. Confined to one thread. */
public interface PartitionCut extends AutoCloseable {
  /** Pauses checkpoints until {@link #release}. */
  void begin() throws IOException;

  /**
   * Waits until the partition is complete at a snapshot that was chosen after all partitions had
   * begun.
   */
  void complete(VectorClock at) throws IOException;

  /** Makes the checkpoint, after all partitions are complete. */
  BackupWriter.Source make(VectorClock at) throws IOException;

  /** Resumes checkpoints. Idempotent; may be called after {@link #begin} has failed. */
  void release();

  /** Releases the checkpoint that was made. */
  @Override
  void close();
}
