package io.github.stablecut.internal.transaction;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.internal.backup.BackupWriter;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.journal.DiskFullException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A backup of a store whose partitions are on several nodes, with the past that they keep. Confined
 * to one thread.
 *
 * <p>Why it is a snapshot of the whole store, and its past:
 *
 * <ul>
 *   <li>The snapshot is at or above what all partitions say was acknowledged, and claimed at all of
 *       them, so that truncation keeps it while the files come.
 *   <li>Each partition waits until it is complete there: later commits and prepares are above it,
 *       and transactions prepared at or below it are decided, durably.
 *   <li>Of each partition come the checkpoints at or before the snapshot, and of its journal the
 *       records of what the snapshot sees, from its low watermark on. A transaction has one commit
 *       time on all its partitions, so it is there on all of them or on none.
 * </ul>
 *
 * <p>So a partition can be read one after the other, and anew if another node has it by then: what
 * has come of others stays right.
 */
final class NodesBackup implements AutoCloseable {
  private final Partitions partitions;
  private final VectorClock at;
  private final PartitionAccess.HeldSnapshot claim;

  /** Chooses a snapshot, and claims it. */
  NodesBackup(Partitions partitions) {
    this.partitions = partitions;
    VectorClock acknowledged = AcknowledgedPoint.of(partitions);
    this.at = acknowledged.join(partitions.snapshotAfter(acknowledged));
    this.claim = partitions.pin(at);
  }

  /** The snapshot. */
  VectorClock at() {
    return at;
  }

  /**
   * Writes the backup.
   *
   * @throws DiskFullException if the target's disk is full
   * @throws PartitionUnavailableException if a partition can't be reached for half a minute
   */
  void write(StoreIdentity identity, Path target, BackupProgress progress, Instant now) {
    List<BackupWriter.Source> sources =
        partitions.all().stream()
            .<BackupWriter.Source>map(
                partition -> new BackupWriter.Fetched(new PartitionFetch(partition, at)))
            .toList();
    try {
      new BackupWriter(target, progress).write(identity, sources, Optional.empty(), now);
    } catch (DiskFullException e) {
      throw e;
    } catch (RetryException e) {
      throw new PartitionUnavailableException(
          "no backup was made, and nothing of it is left in %s: %s"
              .formatted(target, e.getMessage()),
          e);
    }
  }

  @Override
  public void close() {
    claim.end();
  }
}
