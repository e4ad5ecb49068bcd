package io.github.stablecut.internal.transaction.datacentre;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.backup.BackupWriter;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.transaction.routing.Partitions;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A consistent cut through the partitions of a store, for a backup: a checkpoint of each ({@link
 * PartitionCut}), all at the same snapshot. Confined to one thread.
 *
 * <p>Why the cut is a snapshot of the whole store:
 *
 * <ul>
 *   <li>It is registered like a reader's snapshot, so it is at or above all acknowledged commits,
 *       and truncation retains what it needs.
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
public final class StoreBackup implements AutoCloseable {
  private final VectorClock at;
  private final List<PartitionCut> cuts;
  private final List<BackupWriter.Source> sources;

  private StoreBackup(VectorClock at, List<PartitionCut> cuts, List<BackupWriter.Source> sources) {
    this.at = at;
    this.cuts = cuts;
    this.sources = sources;
  }

  /**
   * Chooses and registers a snapshot, or waits for another node to choose it. An {@link
   * IOException} is reported as a failure to write; other exceptions are passed on.
   */
  @FunctionalInterface
  public interface Choice {
    ActiveSnapshots.Registration register() throws IOException;
  }

  /**
   * Makes the checkpoints. Readers and writers continue.
   *
   * @param checkpoints the checkpoint files of each partition
   * @throws io.github.stablecut.error.ReadTimeoutException if a partition does not learn the
   *     outcome of a transaction in time
   */
  public static StoreBackup cut(Partitions partitions, List<Directory> checkpoints) {
    List<PartitionCut> cuts = new ArrayList<>();
    for (Partition partition : partitions.local()) {
      cuts.add(new LocalCut(partition, checkpoints.get(partition.number()), Optional.empty()));
    }
    return cut(cuts, partitions::begin);
  }

  /**
   * Like {@link #cut(Partitions, List)}.
   *
   * @param cuts of the partitions, not begun; closed with this, and if this throws
   * @param choice of the snapshot
   */
  public static StoreBackup cut(List<PartitionCut> cuts, Choice choice) {
    List<BackupWriter.Source> sources = new ArrayList<>();
    boolean isComplete = false;
    try {
      for (PartitionCut cut : cuts) {
        cut.begin();
      }
      ActiveSnapshots.Registration register = choice.register();
      try {
        VectorClock at = register.snapshot();
        for (PartitionCut cut : cuts) {
          cut.complete(at);
        }
        for (PartitionCut cut : cuts) {
          sources.add(cut.make(at));
        }
        isComplete = true;
        return new StoreBackup(at, cuts, sources);
      } finally {
        register.end();
      }
    } catch (IOException e) {
      throw new StoreIoException(
          "the initial state of a new data centre can't be written: %s; remove the cause, and join again"
              .formatted(IoReason.of(e)),
          e);
    } finally {
      cuts.forEach(PartitionCut::release);
      if (!isComplete) {
        cuts.forEach(PartitionCut::close);
      }
    }
  }

  /** The snapshot. */
  public VectorClock at() {
    return at;
  }

  /** Writes the backup. */
  public void write(
      StoreIdentity identity,
      Optional<Membership> group,
      Path target,
      BackupProgress progress,
      Instant now) {
    new BackupWriter(target, progress).write(identity, sources, group, now);
  }

  /** Releases the checkpoints. */
  @Override
  public void close() {
    cuts.forEach(PartitionCut::close);
  }
}
