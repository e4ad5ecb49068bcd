package io.github.stablecut.internal.backup;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.error.BackupRefusedException;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.file.Sha256;
import io.github.stablecut.internal.backup.BackupManifest.BackupFile;
import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.NewStore;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.PendingRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Reads one backup. Confined to one thread. */
public final class BackupReader {
  private static final int BUFFER_BYTES = 1 << 20;
  private static final int FIRST_SEGMENT = 1;

  /** The number of the first record of a restored journal; above 1, because it is not complete. */
  private static final long FIRST_RECORD = 2;

  /** The number of bytes of records per sync. */
  private static final long GROUP_BYTES = 4 << 20;

  private final Path backup;
  private final BackupManifest manifest;
  private final BackupProgress progress;
  private long done;

  private BackupReader(Path backup, BackupManifest manifest, BackupProgress progress) {
    this.backup = backup;
    this.manifest = manifest;
    this.progress = progress;
  }

  /**
   * Restores a store from a backup.
   *
   * @param target empty or missing
   * @throws BackupRefusedException if there is no backup, or the target is something else
   * @throws CorruptStoreException if a file of the backup is damaged or missing; no store was made
   */
  public static void restore(Path backup, Path target, BackupProgress progress) {
    make(
        backup,
        target,
        progress,
        (reader, group) -> reader.begin(target, group),
        NewStore::complete);
  }

  private NewStore begin(Path target, Optional<Membership> group) throws IOException {
    if (group.isPresent()) {
      throw new BackupRefusedException(
          backup + " is the initial state of a new data centre: open a store that joins with it");
    }
    BackupWriter.requireEmpty(target, "a store is restored");
    return NewStore.begin(target, manifest::restoredAs);
  }

  /**
   * Creates the store of a new data centre from its initial data.
   *
   * @param directory the fetched initial data
   * @param target prepared by {@link io.github.stablecut.internal.recovery.JoinDirectory}
   * @throws BackupRefusedException if it is not initial data
   * @throws CorruptStoreException if a file is damaged or missing; no store was made
   */
  public static void join(Path directory, Path target, BackupProgress progress) {
    make(
        directory,
        target,
        progress,
        (reader, group) -> reader.beginDataCentre(target, group),
        NewStore::complete);
  }

  /**
   * Like {@link #restore}, for the first node of a cluster, which has all partitions.
   *
   * @param node its name
   * @param isReplicated whether partitions can get more replicas
   */
  public static void restoreAsNode(
      Path backup, Path target, String node, boolean isReplicated, BackupProgress progress) {
    make(
        backup,
        target,
        progress,
        (reader, group) -> reader.begin(target, group),
        store -> store.completeAsNode(node, isReplicated));
  }

  /** Like {@link #join}, for the first node of a cluster, which has all partitions. */
  public static void joinAsNode(Path directory, Path target, String node, BackupProgress progress) {
    make(
        directory,
        target,
        progress,
        (reader, group) -> reader.beginDataCentre(target, group),
        store -> store.completeAsNode(node, false));
  }

  /**
   * The facts about a checked backup, and its damage.
   *
   * @param storeId the store that was backed up
   * @param made the time of the backup, by the machine's clock
   * @param bytes the size of all files
   * @param damages one sentence for each damaged file
   */
  public record BackupSummary(
      long storeId, Instant made, int partitions, int files, long bytes, List<String> damages) {}

  /**
   * Reads all files of a backup, and compares them with their hashes; changes nothing.
   *
   * @throws BackupRefusedException if there is no finished backup
   * @throws CorruptStoreException if its list of files is damaged
   */
  public static BackupSummary check(Path backup, BackupProgress progress) {
    try {
      BackupReader reader = new BackupReader(backup, BackupManifest.in(backup), progress);
      List<String> damages = new ArrayList<>();
      for (BackupFile file : reader.manifest.files()) {
        reader
            .read(file, buffer -> {})
            .ifPresent(what -> damages.add(backup.resolve(file.path()) + ": " + what));
      }
      BackupManifest found = reader.manifest;
      return new BackupSummary(
          found.storeId(),
          found.made(),
          found.partitions(),
          found.files().size(),
          found.bytes(),
          damages);
    } catch (IOException e) {
      throw new StoreIoException(
          "%s can't be read: %s; remove the cause, and verify again"
              .formatted(backup, IoReason.of(e)),
          e);
    }
  }

  private NewStore beginDataCentre(Path target, Optional<Membership> group) throws IOException {
    Membership members =
        group.orElseThrow(
            () ->
                new BackupRefusedException(
                    backup + " is a backup, not the initial state of a new data centre"));
    return NewStore.join(target, joined(members), members);
  }

  private StoreIdentity joined(Membership group) {
    Member member = group.members().get(manifest.dataCentre().number());
    if (member == null) {
      throw damaged(
          backup.resolve(StoreDirectory.DATA_CENTRES),
          "it lacks data centre " + manifest.dataCentre().number());
    }
    return manifest.restoredAs(member.storeId());
  }

  /** Begins a new store. */
  @FunctionalInterface
  private interface StoreCreator {
    NewStore begin(BackupReader reader, Optional<Membership> group) throws IOException;
  }

  /** Completes a new store, or a node, whose partitions exist. */
  @FunctionalInterface
  private interface StoreCompletion {
    void complete(NewStore store) throws IOException;
  }

  private static void make(
      Path backup,
      Path target,
      BackupProgress progress,
      StoreCreator beginning,
      StoreCompletion end) {
    try {
      BackupReader reader = new BackupReader(backup, BackupManifest.in(backup), progress);
      try (NewStore store = beginning.begin(reader, Membership.in(backup))) {
        reader.fill(store);
        end.complete(store);
      }
    } catch (IOException e) {
      throw failed(backup, target, e);
    }
  }

  private static StoreIoException failed(Path backup, Path target, IOException cause) {
    return new StoreIoException(
        "%s can't be restored into %s, and no store was created: %s; remove the cause, and restore again"
            .formatted(backup, target, IoReason.of(cause)),
        cause);
  }

  private void fill(NewStore store) throws IOException {
    for (int number = 0; number < manifest.partitions(); number++) {
      Optional<Path> records = Optional.empty();
      for (BackupFile file : manifest.files()) {
        if (file.partition() == number && file.isJournal()) {
          Path copy = store.journal(number).resolveSibling(file.name());
          copy(file, copy);
          records = Optional.of(copy);
        } else if (file.partition() == number) {
          copy(file, store.checkpoints(number).resolve(file.name()));
        }
      }
      checkUsable(store.checkpoints(number));
      createJournal(store.journal(number), records);
      if (records.isPresent()) {
        Files.delete(records.get());
      }
    }
  }

  /** Checks that the intact files together form a usable store. */
  private void checkUsable(Path checkpoints) throws IOException {
    try (CheckpointStore store =
        CheckpointStore.open(
            DiskDirectory.open(checkpoints), CheckpointOptions.DEFAULTS, FIRST_SEGMENT)) {
      if (!store.status().problems().isEmpty()) {
        throw damaged(backup, String.join("; ", store.status().problems()));
      }
    }
  }

  /**
   * Creates the journal. It doesn't begin with record 1, because earlier records are only in the
   * checkpoint: new replicas of the partition get its files.
   *
   * @param records its records; if empty, the checkpoint has everything
   */
  private static void createJournal(Path directory, Optional<Path> records) throws IOException {
    JournalOptions options = JournalOptions.named("journal of the restored store");
    Journal.begin(JournalDirectory.open(directory, options), options, FIRST_RECORD, 0);
    try (Journal journal =
        Journal.open(
            JournalDirectory.open(directory, options),
            options,
            GroupListener.NOBODY,
            stored -> {})) {
      if (records.isPresent()) {
        long[] group = {0};
        JournalRecords.read(
            records.get(),
            (kind, body) -> {
              journal.ensureWritable(body.length);
              journal.append(new PendingRecord(kind, body, body.length));
              group[0] += body.length;
              if (group[0] >= GROUP_BYTES) {
                journal.flushGroup();
                group[0] = 0;
              }
            });
        journal.flushGroup();
      }
    }
  }

  /** Receives the bytes of a file in pieces. */
  @FunctionalInterface
  private interface Sink {
    void take(ByteBuffer bytes) throws IOException;
  }

  private void copy(BackupFile file, Path target) throws IOException {
    try (FileChannel out =
        PrivateFiles.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      Optional<String> wrong =
          read(
              file,
              bytes -> {
                while (bytes.hasRemaining()) {
                  out.write(bytes);
                }
              });
      if (wrong.isPresent()) {
        throw damaged(backup.resolve(file.path()), wrong.get());
      }
      out.force(true);
    }
  }

  /** Passes a file's bytes to a sink, and returns what is damaged, if anything. */
  private Optional<String> read(BackupFile file, Sink sink) throws IOException {
    MessageDigest sum = Sha256.begin();
    try (FileChannel in = FileChannel.open(backup.resolve(file.path()), StandardOpenOption.READ)) {
      if (in.size() != file.bytes()) {
        return Optional.of("it has %,d bytes instead of %,d".formatted(in.size(), file.bytes()));
      }
      ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
      while (in.read(buffer.clear()) >= 0) {
        sum.update(buffer.flip());
        buffer.flip();
        int bytes = buffer.limit();
        sink.take(buffer);
        done += bytes;
        progress.update(Math.min(done, manifest.bytes()), manifest.bytes());
      }
    } catch (NoSuchFileException e) {
      return Optional.of("it is missing");
    }
    String found = HexFormat.of().formatHex(sum.digest());
    return found.equals(file.sha256())
        ? Optional.empty()
        : Optional.of("its SHA-256 is " + found + " instead of " + file.sha256());
  }

  private static CorruptStoreException damaged(Path file, String what) {
    return new CorruptStoreException(
        file + " is damaged: " + what + "; no store was created; use another backup");
  }
}
