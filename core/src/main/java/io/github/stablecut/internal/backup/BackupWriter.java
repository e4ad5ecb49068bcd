package io.github.stablecut.internal.backup;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.checkpoint.FileAppender;
import io.github.stablecut.checkpoint.FileView;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.error.BackupRefusedException;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.file.Sha256;
import io.github.stablecut.internal.backup.BackupManifest.BackupFile;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.journal.DiskFullException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Writes one backup of views of a store's checkpoints, whose files don't change meanwhile. Links or
 * copies them, hashes them, and finally marks the backup as complete. Confined to one thread.
 */
public final class BackupWriter {
  private static final int BUFFER_BYTES = 1 << 20;

  private final Path target;
  private final BackupProgress progress;
  private final List<BackupFile> written = new ArrayList<>();
  private long done;
  private long total;

  /** The source of a partition's files. */
  public sealed interface Source {}

  /**
   * The files of a partition that another node has written, as a backup of this partition alone.
   *
   * @param backup its directory, whose files are moved away
   */
  public record ReceivedPartition(Path backup) implements Source {}

  /**
   * The files of a partition that another node has, with its past.
   *
   * @param fetch fetches them
   */
  public record FetchedPartition(Fetch fetch) implements Source {}

  /** Fetches the files of a partition. */
  @FunctionalInterface
  public interface Fetch {
    /** Fetches all files. */
    void into(PartitionTarget target) throws IOException;
  }

  /**
   * The checkpoints of a partition.
   *
   * @param source the directory of their files
   * @param view the view whose newest checkpoint is backed up; stays open meanwhile
   * @param clockCeiling the store that opens the backup has issued no timestamp at or above it
   * @param journal a file with records of its journal ({@link JournalRecords}); empty if the
   *     checkpoint has everything
   */
  public record PartitionCheckpoints(
      Directory source, CheckpointView view, long clockCeiling, Optional<Path> journal)
      implements Source {}

  /**
   * @param target empty or missing ({@link #requireEmpty})
   */
  public BackupWriter(Path target, BackupProgress progress) {
    this.target = target;
    this.progress = progress;
  }

  /**
   * Writes the backup; deletes what was written if this throws.
   *
   * @param store the store
   * @param sources the sources of its partitions, in order, at one vector
   * @param group the group of data centres that the store joins; empty if it stays alone
   * @throws io.github.stablecut.checkpoint.CorruptCheckpointException if a file is damaged
   * @throws DiskFullException if the target's disk is full
   */
  public void write(
      StoreIdentity store, List<Source> sources, Optional<Membership> group, Instant now) {
    for (Source source : sources) {
      if (source instanceof PartitionCheckpoints part) {
        verify(part);
      }
    }
    boolean isThere = Files.exists(target);
    boolean isBegun = false;
    boolean isComplete = false;
    try {
      PrivateFiles.createDirectories(target);
      // Fails if it exists, because another backup is being written here.
      PrivateFiles.createDirectory(directoryOf(0));
      isBegun = true;
      for (int number = 0; number < sources.size(); number++) {
        if (sources.get(number) instanceof PartitionCheckpoints part) {
          writeFiles(number, part);
        } else if (sources.get(number) instanceof ReceivedPartition received) {
          takeFiles(number, received.backup);
        } else if (sources.get(number) instanceof FetchedPartition fetched) {
          fetchFiles(number, fetched.fetch);
        }
      }
      Directory all = DiskDirectory.open(target);
      if (group.isPresent()) {
        all.replace(StoreDirectory.DATA_CENTRES, group.get().toText().getBytes(UTF_8));
      }
      all.replace(
          BackupManifest.FILE,
          new BackupManifest(store.id(), store.routing(), store.dataCentre(), now, written)
              .toText()
              .getBytes(UTF_8));
      isComplete = true;
    } catch (IOException e) {
      throw failure(e);
    } finally {
      if (isBegun && !isComplete) {
        removeAll(sources.size());
      }
      if (!isThere && !isComplete) {
        removeTarget();
      }
    }
  }

  /** Returns the exception that reports a failure to write. */
  private StablecutException failure(IOException e) {
    String message =
        "the backup in %s can't be written and was deleted: %s; remove the cause, and make it again"
            .formatted(target, IoReason.of(e));
    return IoReason.isDiskFull(e, target)
        ? new DiskFullException(message)
        : new StoreIoException(message, e);
  }

  private void verify(PartitionCheckpoints part) {
    part.view.verify(
        damage -> {
          throw damage;
        });
    total += part.view.manifest().runs().stream().mapToLong(ManifestFile::bytes).sum();
  }

  private void takeFiles(int number, Path backup) throws IOException {
    PrivateFiles.createDirectories(directoryOf(number));
    Directory partition = DiskDirectory.open(directoryOf(number));
    for (BackupFile file : BackupManifest.in(backup).files()) {
      Files.move(backup.resolve(file.path()), directoryOf(number).resolve(file.name()));
      try (FileView copy = partition.view(file.name())) {
        String sum = sum(copy, (bytes, length) -> {});
        if (!sum.equals(file.sha256())) {
          throw new CorruptStoreException(
              "%s of partition %d was damaged in transit from another node: join again"
                  .formatted(file.name(), number));
        }
        add(number, file.name(), copy.length(), sum);
      }
    }
    partition.force();
  }

  private void fetchFiles(int number, Fetch fetch) throws IOException {
    PartitionTarget partition =
        new PartitionTarget(
            number,
            directoryOf(number),
            (more, expected) -> {
              total += expected;
              done += more;
              progress.update(done, Math.max(done, total));
            });
    fetch.into(partition);
    written.addAll(partition.complete());
  }

  private Path directoryOf(int number) {
    return target.resolve(BackupManifest.directoryOf(number));
  }

  private void writeFiles(int number, PartitionCheckpoints part) throws IOException {
    PrivateFiles.createDirectories(directoryOf(number));
    Directory partition = DiskDirectory.open(directoryOf(number));
    for (ManifestFile run : part.view.manifest().runs()) {
      addRun(number, part.source, partition, run.name());
    }
    if (part.journal.isPresent()) {
      Path journal = directoryOf(number).resolve(BackupManifest.JOURNAL);
      Files.copy(part.journal.get(), journal);
      try (FileView file = partition.view(BackupManifest.JOURNAL)) {
        add(number, BackupManifest.JOURNAL, file.length(), sum(file, (bytes, length) -> {}));
      }
    }
    for (Map.Entry<String, byte[]> head : part.view.snapshotHeads(part.clockCeiling).entrySet()) {
      append(partition, head.getKey(), head.getValue());
      byte[] sum = Sha256.begin().digest(head.getValue());
      add(number, head.getKey(), head.getValue().length, HexFormat.of().formatHex(sum));
    }
    partition.force();
  }

  private void add(int number, String name, long bytes, String sha256) {
    written.add(new BackupFile(number, name, bytes, sha256));
  }

  /** Refuses a directory that is not empty, or is within a store, a node or a backup. */
  public static void requireEmpty(Path directory, String what) {
    try {
      if (!Files.exists(directory)) {
        requireOutside(directory, what);
        return;
      }
      if (!Files.isDirectory(directory)) {
        throw new BackupRefusedException(
            directory + " is a file: " + what + " into an empty or missing directory");
      }
      try (Stream<Path> content = Files.list(directory)) {
        List<String> names = content.limit(3).map(file -> file.getFileName().toString()).toList();
        if (!names.isEmpty()) {
          throw new BackupRefusedException(
              "%s is not empty, it contains %s: %s into an empty or missing directory"
                  .formatted(directory, names, what));
        }
      }
      requireOutside(directory, what);
    } catch (IOException e) {
      throw new StoreIoException(
          "%s can't be read: %s; remove the cause, and try again"
              .formatted(directory, IoReason.of(e)),
          e);
    }
  }

  private static void requireOutside(Path directory, String what) throws IOException {
    Optional<Path> around = StoreDirectory.around(directory);
    if (around.isPresent()) {
      throw new BackupRefusedException(
          "%s is in %s, which contains a store or a backup: %s elsewhere"
              .formatted(directory, around.get(), what));
    }
  }

  private void addRun(int number, Directory source, Directory partition, String name)
      throws IOException {
    boolean isLinked = source.link(name, directoryOf(number).resolve(name));
    try (FileView file = source.view(name)) {
      if (isLinked) {
        add(number, name, file.length(), sum(file, (bytes, length) -> {}));
        return;
      }
      try (FileAppender copy = partition.create(name)) {
        String sum = sum(file, (bytes, length) -> copy.append(bytes, 0, length));
        copy.force();
        add(number, name, file.length(), sum);
      }
    }
  }

  private static void append(Directory partition, String name, byte[] content) throws IOException {
    try (FileAppender file = partition.create(name)) {
      file.append(content, 0, content.length);
      file.force();
    }
  }

  /** Receives the pieces of a file in order. */
  @FunctionalInterface
  private interface Pieces {
    void take(byte[] bytes, int length) throws IOException;
  }

  private String sum(FileView file, Pieces pieces) throws IOException {
    MessageDigest sum = Sha256.begin();
    byte[] buffer = new byte[BUFFER_BYTES];
    for (long at = 0; at < file.length(); at += buffer.length) {
      int length = (int) Math.min(buffer.length, file.length() - at);
      file.get(at, buffer, 0, length);
      sum.update(buffer, 0, length);
      pieces.take(buffer, length);
      done += length;
      progress.update(done, total);
    }
    return HexFormat.of().formatHex(sum.digest());
  }

  /** Deletes the directory created for the backup, unless it has other files by now. */
  private void removeTarget() {
    try {
      Files.deleteIfExists(target);
    } catch (IOException e) {
      // An empty directory is not a backup, and a later backup may use it.
    }
  }

  /** Deletes the files of a failed backup; the target was empty before. */
  private void removeAll(int partitions) {
    try {
      for (int number = 0; number < partitions; number++) {
        Path partition = directoryOf(number);
        if (Files.isDirectory(partition)) {
          try (Stream<Path> files = Files.list(partition)) {
            for (Path file : (Iterable<Path>) files::iterator) {
              Files.delete(file);
            }
          }
          Files.delete(partition);
        }
      }
      Files.deleteIfExists(target.resolve(BackupManifest.FILE + ".new"));
      Files.deleteIfExists(target.resolve(StoreDirectory.DATA_CENTRES));
    } catch (IOException e) {
      // Without the file BACKUP it is not a backup, and a restore reports that.
    }
  }
}
