package io.github.stablecut.internal.backup;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.BackupRefusedException;
import io.github.stablecut.StoreIoException;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.checkpoint.FileAppender;
import io.github.stablecut.checkpoint.FileView;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.View;
import io.github.stablecut.internal.backup.BackupManifest.BackupFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Writes one backup of a view of a store's checkpoints, whose files stay as they are meanwhile:
 * links or copies them, hashes them, and last of all says that the backup is complete. Confined to
 * one thread.
 */
public final class BackupWriter {
  private static final int BUFFER_BYTES = 1 << 20;

  private final Directory source;
  private final Path target;
  private final BackupProgress progress;
  private final List<BackupFile> written = new ArrayList<>();
  private long done;
  private long total;

  /**
   * @param source where the checkpoints' files lie
   * @param target empty or not there
   */
  public BackupWriter(Directory source, Path target, BackupProgress progress) {
    this.source = source;
    this.target = target;
    this.progress = progress;
  }

  /**
   * Writes the backup; what was written of it goes if this throws.
   *
   * @param storeId the store
   * @param clockCeiling no timestamp at or above it was ever told
   * @throws BackupRefusedException if the target is neither empty nor missing
   * @throws io.github.stablecut.checkpoint.CorruptCheckpointException if a file is damaged
   */
  public void write(long storeId, View view, long clockCeiling, Instant now) {
    requireEmpty(target, "a backup is written");
    view.verify(
        damage -> {
          throw damage;
        });
    boolean isBegun = false;
    boolean isComplete = false;
    try {
      Path unused = Files.createDirectories(target);
      // Fails if there is one: then another backup is being written here.
      unused = Files.createDirectory(target.resolve(BackupManifest.PARTITION));
      isBegun = true;
      writeFiles(view, clockCeiling);
      DiskDirectory.open(target)
          .replace(
              BackupManifest.FILE,
              new BackupManifest(storeId, now, written).toText().getBytes(UTF_8));
      isComplete = true;
    } catch (IOException e) {
      throw new StoreIoException(
          "the backup in " + target + " can't be written, nothing of it is left: " + e, e);
    } finally {
      if (isBegun && !isComplete) {
        removeAll();
      }
    }
  }

  private void writeFiles(View view, long clockCeiling) throws IOException {
    List<ManifestFile> runs = view.manifest().runs();
    total = runs.stream().mapToLong(ManifestFile::bytes).sum();
    Directory partition = DiskDirectory.open(target.resolve(BackupManifest.PARTITION));
    for (ManifestFile run : runs) {
      addRun(partition, run.name());
    }
    for (Map.Entry<String, byte[]> head : view.snapshotHeads(clockCeiling).entrySet()) {
      addHead(partition, head.getKey(), head.getValue());
    }
    partition.force();
  }

  /** Refuses a directory that something is in. */
  static void requireEmpty(Path directory, String what) {
    try {
      if (!Files.exists(directory)) {
        return;
      }
      if (!Files.isDirectory(directory)) {
        throw new BackupRefusedException(
            directory + " is a file: " + what + " into a directory that is empty or not there");
      }
      try (Stream<Path> content = Files.list(directory)) {
        List<String> names = content.limit(3).map(file -> file.getFileName().toString()).toList();
        if (!names.isEmpty()) {
          throw new BackupRefusedException(
              "%s is not empty, it holds %s: %s into a directory that is empty or not there"
                  .formatted(directory, names, what));
        }
      }
    } catch (IOException e) {
      throw new StoreIoException(directory + " can't be read: " + e, e);
    }
  }

  private void addRun(Directory partition, String name) throws IOException {
    boolean isLinked = source.link(name, target.resolve(BackupManifest.PARTITION).resolve(name));
    try (FileView file = source.view(name)) {
      if (isLinked) {
        written.add(new BackupFile(name, file.length(), sum(file, (bytes, length) -> {})));
        return;
      }
      try (FileAppender copy = partition.create(name)) {
        String sum = sum(file, (bytes, length) -> copy.append(bytes, 0, length));
        copy.force();
        written.add(new BackupFile(name, file.length(), sum));
      }
    }
  }

  private static void append(Directory partition, String name, byte[] content) throws IOException {
    try (FileAppender file = partition.create(name)) {
      file.append(content, 0, content.length);
      file.force();
    }
  }

  private void addHead(Directory partition, String name, byte[] content) throws IOException {
    append(partition, name, content);
    byte[] sum = BackupManifest.Sha256.begin().digest(content);
    written.add(new BackupFile(name, content.length, HexFormat.of().formatHex(sum)));
  }

  /** Takes the pieces of a file one after the other. */
  @FunctionalInterface
  private interface Pieces {
    void take(byte[] bytes, int length) throws IOException;
  }

  private String sum(FileView file, Pieces pieces) throws IOException {
    MessageDigest sum = BackupManifest.Sha256.begin();
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

  /** Takes away what there is of a backup that failed: the target was empty before. */
  private void removeAll() {
    try {
      Path partition = target.resolve(BackupManifest.PARTITION);
      if (Files.isDirectory(partition)) {
        try (Stream<Path> files = Files.list(partition)) {
          for (Path file : (Iterable<Path>) files::iterator) {
            Files.delete(file);
          }
        }
        Files.delete(partition);
      }
      boolean unused = Files.deleteIfExists(target.resolve(BackupManifest.FILE + ".new"));
    } catch (IOException e) {
      // Without the file BACKUP it is none, and whoever restores it is told so.
    }
  }
}
