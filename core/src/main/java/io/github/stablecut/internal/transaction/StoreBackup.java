package io.github.stablecut.internal.transaction;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.internal.backup.BackupWriter;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.internal.truncation.Maintenance;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A consistent cut through the partitions of a store, for a backup: one checkpoint of each, all at
 * one snapshot. Confined to one thread.
 *
 * <p>Why the cut is a snapshot of the whole store:
 *
 * <ul>
 *   <li>It is claimed as a reader's is, so it is at or above all that was acknowledged before, and
 *       nothing that it needs is forgotten.
 *   <li>Each partition waits until it is complete ({@link Partition#awaitComplete}): later commits
 *       and prepares are above it, and what was prepared at or below it is decided here, and
 *       durable. The decision may be above the snapshot; then it is part of no checkpoint.
 *   <li>A transaction has one commit time on all its partitions. So all of them have it in their
 *       checkpoints, or none has. Nothing is in doubt in a backup, and it needs no journal and no
 *       coordinator to ask.
 *   <li>While one partition waits, another must not make a checkpoint above the snapshot. So no
 *       partition makes any of its own between the choice of the snapshot and the last checkpoint.
 * </ul>
 */
final class StoreBackup implements AutoCloseable {
  private final VectorClock at;
  private final List<BackupWriter.Part> parts;

  private StoreBackup(VectorClock at, List<BackupWriter.Part> parts) {
    this.at = at;
    this.parts = parts;
  }

  /**
   * Makes the checkpoints. Readers and writers go on.
   *
   * @param checkpoints where each partition's lie
   * @throws io.github.stablecut.error.ReadTimeoutException if a partition does not learn in time
   *     what became of a transaction
   */
  static StoreBackup cut(Partitions partitions, List<Directory> checkpoints) {
    List<Partition> all = partitions.local();
    List<Maintenance.Pause> pauses = new ArrayList<>();
    List<BackupWriter.Part> parts = new ArrayList<>();
    boolean isComplete = false;
    try {
      all.forEach(partition -> pauses.add(partition.maintenance().pause()));
      ActiveSnapshots.Registration claim = partitions.begin();
      try {
        VectorClock at = claim.snapshot();
        all.forEach(partition -> partition.awaitComplete(at));
        for (int i = 0; i < all.size(); i++) {
          parts.add(
              new BackupWriter.Part(
                  checkpoints.get(i), pauses.get(i).checkpointAt(at), all.get(i).clockCeiling()));
        }
        isComplete = true;
        return new StoreBackup(at, parts);
      } finally {
        claim.end();
      }
    } finally {
      pauses.forEach(Maintenance.Pause::close);
      if (!isComplete) {
        parts.forEach(part -> part.view().close());
      }
    }
  }

  /** The snapshot. */
  VectorClock at() {
    return at;
  }

  /** Writes the backup. */
  void write(StoreIdentity identity, Path target, BackupProgress progress, Instant now) {
    new BackupWriter(target, progress).write(identity, parts, now);
  }

  /** Lets go of the checkpoints. */
  @Override
  public void close() {
    parts.forEach(part -> part.view().close());
  }
}
