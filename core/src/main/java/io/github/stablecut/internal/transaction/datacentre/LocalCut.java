package io.github.stablecut.internal.transaction.datacentre;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.internal.backup.BackupWriter;
import io.github.stablecut.internal.backup.JournalRecords;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.truncation.Maintenance;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The checkpoint of a partition in this process, for a backup. Confined to one thread. */
public final class LocalCut implements PartitionCut {
  private final Partition partition;
  private final Directory checkpoints;
  private final Optional<Path> journal;
  private Optional<Maintenance.Pause> pause = Optional.empty();
  private Optional<CheckpointView> view = Optional.empty();

  /**
   * @param checkpoints the partition's checkpoint files
   * @param journal for a new data centre: a file to create, for received transactions of other data
   *     centres that the checkpoint lacks
   */
  public LocalCut(Partition partition, Directory checkpoints, Optional<Path> journal) {
    this.partition = partition;
    this.checkpoints = checkpoints;
    this.journal = journal;
  }

  @Override
  public void begin() {
    pause = Optional.of(partition.maintenance().pause());
  }

  @Override
  public void complete(VectorClock at) {
    partition.awaitComplete(at);
    // Checkpoints include transactions of other data centres only as far as the journal records
    // them.
    partition.streams().recordReached();
  }

  @Override
  public BackupWriter.Source make(VectorClock at) throws IOException {
    CheckpointView made = pause.orElseThrow().checkpointAt(at);
    view = Optional.of(made);
    if (journal.isPresent()) {
      try (JournalRecords records = JournalRecords.create(journal.get())) {
        partition
            .streams()
            .forEachRecordBeside(at, made.checkpoints().stream().findFirst(), records::add);
      }
    }
    return new BackupWriter.PartitionCheckpoints(checkpoints, made, ceiling(at), journal);
  }

  /**
   * Returns where the clock of the opened copy starts. A new data centre has issued no times, so
   * its times only need to be above its initial state. A copy of this store must not reissue times
   * that were issued here.
   */
  private long ceiling(VectorClock at) {
    return journal.isPresent() ? LocalDataCentre.floorOf(at) : partition.clockCeiling();
  }

  @Override
  public void release() {
    pause.ifPresent(Maintenance.Pause::close);
    pause = Optional.empty();
  }

  @Override
  public void close() {
    view.ifPresent(CheckpointView::close);
    view = Optional.empty();
  }
}
