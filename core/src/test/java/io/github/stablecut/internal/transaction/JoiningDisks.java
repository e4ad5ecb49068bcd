package io.github.stablecut.internal.transaction;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.checkpoint.FileAppender;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.internal.backup.BackupReader;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.transaction.SimulatedDataCentres.DataCentre;
import io.github.stablecut.internal.transaction.datacentre.DataCentreAdmission;
import io.github.stablecut.internal.transaction.datacentre.LocalCut;
import io.github.stablecut.internal.transaction.datacentre.PartitionCut;
import io.github.stablecut.internal.transaction.datacentre.StoreBackup;
import io.github.stablecut.journal.ClosedJournal;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.JournalReadListener;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.segment.CorruptJournalException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntPredicate;

/**
 * The initial disks of a new data centre in a simulation: a donor writes them, and joiners read
 * them unchanged, through files. Immutable.
 *
 * @param number of the new one
 * @param membership as the donor knew it then
 * @param at the snapshot that it starts with
 */
record JoiningDisks(
    int number, Membership membership, DataCentre donor, VectorClock at, List<LossyDisk> disks) {
  private static final int MAX_FILE_BYTES = 1 << 26;

  static JoiningDisks of(DataCentre donor, int number, Membership membership) throws IOException {
    Path directory = Files.createTempDirectory("joining");
    try {
      Path files = directory.resolve("files");
      VectorClock at = write(donor, number, membership, directory, files);
      Path store = directory.resolve("store");
      BackupReader.join(files, store, BackupProgress.NONE);
      List<LossyDisk> disks = new ArrayList<>();
      for (int partition = 0; partition < SimulatedDataCentres.PARTITIONS; partition++) {
        disks.add(read(store.resolve("p" + partition)));
      }
      return new JoiningDisks(number, membership, donor, at, disks);
    } finally {
      FileTrees.delete(directory);
    }
  }

  private static VectorClock write(
      DataCentre donor, int number, Membership membership, Path directory, Path files) {
    List<PartitionCut> cuts = new ArrayList<>();
    for (Partition partition : donor.store.partitions().local()) {
      cuts.add(
          new LocalCut(
              partition,
              donor.disks.get(partition.number()).checkpoints(),
              Optional.of(directory.resolve("journal" + partition.number()))));
    }
    try (StoreBackup cut = StoreBackup.cut(cuts, donor.store.partitions()::begin)) {
      cut.write(
          new StoreIdentity(
              100 + donor.local.number(),
              SimulatedDataCentres.PARTITIONS,
              new LocalDataCentre(number),
              OptionalLong.empty(),
              SimulatedDataCentres.ROUTING),
          Optional.of(membership),
          files,
          BackupProgress.NONE,
          Instant.now());
      return cut.at();
    }
  }

  /**
   * Whether others durably have the new one's initial data.
   *
   * @param waitedFor the data centres to wait for
   */
  boolean isTaken(IntPredicate waitedFor) {
    return DataCentreAdmission.areDurableAt(
        at,
        donor.store.partitions().local(),
        membership.others(donor.local.number()).stream()
            .filter(other -> other != number && waitedFor.test(other))
            .toList());
  }

  private static LossyDisk read(Path partition) throws IOException {
    LossyDisk disk = LossyDisk.empty();
    Directory checkpoints = DiskDirectory.open(partition.resolve("checkpoint"));
    for (String name : checkpoints.list()) {
      byte[] content = checkpoints.read(name, MAX_FILE_BYTES);
      try (FileAppender file = disk.checkpoints().create(name)) {
        file.append(content, 0, content.length);
        file.force();
      }
    }
    disk.checkpoints().force();
    JournalOptions options = JournalOptions.named("journal of a simulated partition");
    try (Journal journal = Journal.open(disk.journal(), options, new NoWaiters(), stored -> {})) {
      ClosedJournal.in(partition.resolve("journal"))
          .read(
              stored -> {
                byte[] body = stored.body();
                journal.ensureWritable(body.length);
                journal.append(new PendingRecord(stored.kind(), body, body.length));
                journal.flushGroup();
              },
              new Undamaged());
    }
    return disk;
  }

  /** Listens to a journal without waiters. */
  private static final class NoWaiters implements GroupListener {
    @Override
    public void durable(List<PendingRecord> group) {}

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {}
  }

  /** A new journal has no damage. */
  private static final class Undamaged implements JournalReadListener {
    @Override
    public void damaged(CorruptJournalException damage) {
      throw damage;
    }

    @Override
    public void torn(String message, boolean mayBeDamage) {
      throw new AssertionError(message);
    }
  }
}
