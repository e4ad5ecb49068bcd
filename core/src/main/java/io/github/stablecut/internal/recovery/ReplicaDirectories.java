package io.github.stablecut.internal.recovery;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Creates and deletes directories of replicas while a node serves. A directory is created under a
 * temporary name and renamed when complete, and renamed again before its deletion. The next start
 * deletes the remains of a crash, like those of moves ({@link MovedPartitions}). Confined to one
 * thread at a time.
 */
final class ReplicaDirectories {
  private final Path directory;
  private final StoreIdentity identity;
  private final DirectoryLock lock;

  /**
   * @param directory the node's
   * @param lock the lock on it; without it nothing is changed
   */
  ReplicaDirectories(Path directory, StoreIdentity identity, DirectoryLock lock) {
    this.directory = directory;
    this.identity = identity;
    this.lock = lock;
  }

  /**
   * Creates a directory durably.
   *
   * @param epoch the epoch of the node's openings
   * @param promised the replica accepts nothing of configuration epochs before this one
   */
  void create(int number, long epoch, long promised) throws IOException {
    lock.check();
    Path made = directory.resolve("p" + number + MovedPartitions.INCOMING);
    FileTrees.delete(made);
    PrivateFiles.createDirectories(StoreDirectory.journalIn(made));
    PrivateFiles.createDirectories(StoreDirectory.checkpointsIn(made));
    Epochs.write(made, identity, number, epoch);
    new VoteFile(made, lock).write(promised);
    // Without this mark, an empty journal would count as lost.
    IncomingCheckpoint.mark(made, 1, 0);
    Files.move(made, StoreDirectory.partitionOf(directory, number), ATOMIC_MOVE);
    PrivateFiles.forceDirectory(directory);
  }

  /** Deletes a directory. */
  void delete(int number) throws IOException {
    lock.check();
    Path old = directory.resolve("p" + number + MovedPartitions.OLD);
    FileTrees.delete(old);
    Files.move(StoreDirectory.partitionOf(directory, number), old, ATOMIC_MOVE);
    PrivateFiles.forceDirectory(directory);
    FileTrees.delete(old);
  }
}
