package io.github.stablecut.internal.transaction;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.View;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.backup.BackupWriter;
import io.github.stablecut.internal.backup.JournalRecords;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.internal.truncation.Maintenance;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
    return cut(partitions, checkpoints, Optional.empty());
  }

  /**
   * As {@link #cut(Partitions, List)}, for a new data centre.
   *
   * @param journals an empty directory for what has come of the streams of other data centres and
   *     is not in the checkpoints
   */
  static StoreBackup cut(
      Partitions partitions, List<Directory> checkpoints, Optional<Path> journals) {
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
        // Checkpoints tell of other data centres only what a restart does not forget.
        all.forEach(
            partition -> {
              VectorClock unused = partition.streams().recordReached();
            });
        for (int i = 0; i < all.size(); i++) {
          View view = pauses.get(i).checkpointAt(at);
          Optional<Path> journal =
              journals.map(directory -> directory.resolve(Integer.toString(parts.size())));
          parts.add(
              new BackupWriter.Part(checkpoints.get(i), view, all.get(i).clockCeiling(), journal));
          if (journal.isPresent()) {
            writeJournal(all.get(i), at, view, journal.get());
          }
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

  private static void writeJournal(Partition partition, VectorClock at, View view, Path file) {
    try (JournalRecords records = JournalRecords.create(file)) {
      partition
          .streams()
          .forEachRecordBeside(at, view.checkpoints().stream().findFirst(), records::add);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private static StoreIoException failed(IOException cause) {
    return new StoreIoException(
        "what a new data centre begins with can't be written: %s; remove the cause, and join again"
            .formatted(IoReason.of(cause)),
        cause);
  }

  /** The snapshot. */
  VectorClock at() {
    return at;
  }

  /** Writes the backup. */
  void write(
      StoreIdentity identity,
      Optional<Membership> group,
      Path target,
      BackupProgress progress,
      Instant now) {
    new BackupWriter(target, progress).write(identity, parts, group, now);
  }

  /** Releases the checkpoints. */
  @Override
  public void close() {
    parts.forEach(part -> part.view().close());
  }
}
