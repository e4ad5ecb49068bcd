package io.github.stablecut.internal.transaction;

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

/** The cut of a partition in this process. Confined to one thread. */
final class LocalCut implements PartitionCut {
  private final Partition partition;
  private final Directory checkpoints;
  private final Optional<Path> journal;
  private Optional<Maintenance.Pause> pause = Optional.empty();
  private Optional<CheckpointView> view = Optional.empty();

  /**
   * @param checkpoints where its checkpoints lie
   * @param journal for a new data centre: a file that is not there, for what has come of the
   *     streams of other data centres and is not in the checkpoint
   */
  LocalCut(Partition partition, Directory checkpoints, Optional<Path> journal) {
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
    // Checkpoints tell of other data centres only what a restart does not forget.
    VectorClock unused = partition.streams().recordReached();
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
    return new BackupWriter.Part(checkpoints, made, ceiling(at), journal);
  }

  /**
   * Where the clock begins of who opens the copy. A new data centre has told no time yet, so only
   * what it begins with has to be below its times; a copy of this one must not tell again what was
   * told here.
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
