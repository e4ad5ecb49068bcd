package io.github.stablecut.internal.transaction.routing;

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
 * A backup of a store whose partitions are on several nodes, including the retained history.
 * Confined to one thread.
 *
 * <p>Why it is a consistent snapshot of the whole store and its history:
 *
 * <ul>
 *   <li>The snapshot is at or above every acknowledged commit of every partition. It is registered
 *       at all partitions, so truncation retains it during the transfer.
 *   <li>Each partition waits until it is complete there: later commits and prepares are above it,
 *       and transactions prepared at or below it are decided, durably.
 *   <li>The backup contains each partition's checkpoints at or before the snapshot, and from its
 *       journal the records that the snapshot sees, from the low watermark on. A transaction has
 *       one commit time on all its partitions, so the backup contains it on all of them or on none.
 * </ul>
 *
 * <p>Therefore partitions can be read one after the other, and a partition that moves to another
 * node can be read again: what was read of the others stays valid.
 */
public final class NodesBackup implements AutoCloseable {
  private final Partitions partitions;
  private final VectorClock at;
  private final PartitionAccess.HeldSnapshot registration;

  /** Chooses a snapshot and registers it. */
  public NodesBackup(Partitions partitions) {
    this.partitions = partitions;
    VectorClock acknowledged = AcknowledgedPoint.of(partitions);
    this.at = acknowledged.join(partitions.snapshotAfter(acknowledged));
    this.registration = partitions.pin(at);
  }

  /** The snapshot. */
  public VectorClock at() {
    return at;
  }

  /**
   * Writes the backup.
   *
   * @throws DiskFullException if the target's disk is full
   * @throws PartitionUnavailableException if a partition can't be reached for half a minute
   */
  public void write(StoreIdentity identity, Path target, BackupProgress progress, Instant now) {
    List<BackupWriter.Source> sources =
        partitions.all().stream()
            .<BackupWriter.Source>map(
                partition -> new BackupWriter.FetchedPartition(new PartitionFetch(partition, at)))
            .toList();
    try {
      new BackupWriter(target, progress).write(identity, sources, Optional.empty(), now);
    } catch (DiskFullException e) {
      throw e;
    } catch (RetryException e) {
      throw new PartitionUnavailableException(
          "no backup was made, and its files in %s were deleted: %s"
              .formatted(target, e.getMessage()),
          e);
    }
  }

  @Override
  public void close() {
    registration.end();
  }
}
