package io.github.stablecut.internal.backup;

import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.checkpoint.FileAppender;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.file.Sha256;
import io.github.stablecut.internal.backup.BackupManifest.BackupFile;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The files of one partition of a backup, received from another node. Confined to one thread. */
public final class PartitionTarget {
  private static final int FIRST_SEGMENT = 1;

  private final int number;
  private final Path path;
  private final Progress progress;
  private final List<BackupFile> written = new ArrayList<>();

  /** Receives the progress. */
  @FunctionalInterface
  interface Progress {
    /**
     * Adds to the progress.
     *
     * @param bytes the number of new bytes; negative if bytes were discarded
     * @param expected the increase of the total number of expected bytes
     */
    void add(long bytes, long expected);
  }

  PartitionTarget(int number, Path path, Progress progress) {
    this.number = number;
    this.path = path;
    this.progress = progress;
  }

  /** A file being written. Closed when it is complete or discarded. */
  public final class IncomingFile implements AutoCloseable {
    private final String name;
    private final FileAppender file;
    private final MessageDigest sum = Sha256.begin();
    private long length;

    private IncomingFile(String name) throws IOException {
      this.name = name;
      this.file = DiskDirectory.open(path).create(name);
    }

    /** Adds bytes. */
    public void append(byte[] bytes) throws IOException {
      file.append(bytes, 0, bytes.length);
      sum.update(bytes);
      length += bytes.length;
      progress.add(bytes.length, 0);
    }

    /** The number of bytes so far. */
    public long length() {
      return length;
    }

    /** Makes the complete file durable. */
    public void complete() throws IOException {
      file.force();
      written.add(new BackupFile(number, name, length, HexFormat.of().formatHex(sum.digest())));
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /** Begins or restarts: deletes everything received before. */
  public void begin() throws IOException {
    written.clear();
    FileTrees.delete(path);
    PrivateFiles.createDirectory(path);
  }

  /** Adds to the expected bytes. */
  public void expect(long bytes) {
    progress.add(0, bytes);
  }

  /**
   * Begins a file.
   *
   * @throws CorruptStoreException if no partition has a file of that name
   */
  public IncomingFile create(String name) throws IOException {
    if (!CheckpointFiles.isOurs(name)) {
      throw new CorruptStoreException(
          "another node named a file \"%s\" of partition %d, which is not a valid name: check the node's version"
              .formatted(name, number));
    }
    return new IncomingFile(name);
  }

  /** Begins the file with the records of the partition's past. */
  public IncomingFile createRecords() throws IOException {
    return new IncomingFile(BackupManifest.JOURNAL);
  }

  /** Makes all files durable, and checks that the checkpoints can be read. */
  List<BackupFile> complete() throws IOException {
    DiskDirectory.open(path).force();
    try (CheckpointStore store =
            CheckpointStore.open(
                DiskDirectory.open(path), CheckpointOptions.DEFAULTS, FIRST_SEGMENT);
        CheckpointView view = store.view()) {
      if (!store.status().problems().isEmpty()) {
        throw damaged(String.join("; ", store.status().problems()));
      }
      view.verify(
          damage -> {
            throw damage;
          });
    } catch (CorruptCheckpointException e) {
      throw damaged(String.valueOf(e.getMessage()));
    }
    return List.copyOf(written);
  }

  private CorruptStoreException damaged(String what) {
    return new CorruptStoreException(
        "the checkpoints of partition %d are damaged on its node, or were damaged in transit, and no backup was made: %s; run verify there"
            .formatted(number, what));
  }
}
