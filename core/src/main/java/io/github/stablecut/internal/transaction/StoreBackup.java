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
 *   <li>It is claimed as a reader's snapshot is, so it is at or above all acknowledged commits, and
 *       truncation keeps what it needs.
 *   <li>Each partition waits until it is complete ({@link Partition#awaitComplete}): later commits
 *       and prepares are above it, and transactions prepared at or below it are decided here,
 *       durably. A decision above the snapshot is part of no checkpoint.
 *   <li>A transaction has one commit time on all its partitions, so either all their checkpoints
 *       include it, or none does. A backup contains no in-doubt transactions, and needs no journal
 *       and no coordinator.
 *   <li>While one partition waits, no other may make a checkpoint above the snapshot. So
 *       checkpoints are paused on all partitions between the choice of the snapshot and the last
 *       checkpoint.
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
   * Makes the checkpoints. Readers and writers continue.
   *
   * @param checkpoints where each partition's lie
   * @throws io.github.stablecut.error.ReadTimeoutException if a partition does not learn the
   *     outcome of a transaction in time
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

  /** Releases the checkpoints. */
  @Override
  public void close() {
    parts.forEach(part -> part.view().close());
  }
}
