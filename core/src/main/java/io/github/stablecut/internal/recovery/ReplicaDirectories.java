package io.github.stablecut.internal.recovery;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The directories of copies that a node gets, or gives up, while it serves: made under another
 * name, and complete when they get theirs; deleted under another one. What a crash leaves of either
 * is deleted at the next start, as the remains of moves are ({@link MovedPartitions}). Confined to
 * one thread at a time.
 */
final class ReplicaDirectories {
  private final Path directory;
  private final StoreIdentity identity;
  private final DirectoryLock lock;

  /**
   * @param directory the node's
   * @param lock on it; once it is lost nothing is changed
   */
  ReplicaDirectories(Path directory, StoreIdentity identity, DirectoryLock lock) {
    this.directory = directory;
    this.identity = identity;
    this.lock = lock;
  }

  /**
   * Durably makes a directory.
   *
   * @param epoch of the node's openings
   * @param promised the copy takes nothing of earlier epochs of layouts
   */
  void create(int number, long epoch, long promised) throws IOException {
    lock.check();
    Path made = directory.resolve("p" + number + MovedPartitions.INCOMING);
    FileTrees.delete(made);
    PrivateFiles.createDirectories(StoreDirectory.journalIn(made));
    PrivateFiles.createDirectories(StoreDirectory.checkpointsIn(made));
    Epochs.write(made, identity, number, epoch);
    new VoteFile(made, lock).write(promised);
    // Without a journal it would be one that has lost it.
    IncomingCheckpoint.mark(made, 1, 0);
    Path unused = Files.move(made, StoreDirectory.partitionOf(directory, number), ATOMIC_MOVE);
    PrivateFiles.forceDirectory(directory);
  }

  /** Deletes one. */
  void delete(int number) throws IOException {
    lock.check();
    Path old = directory.resolve("p" + number + MovedPartitions.OLD);
    FileTrees.delete(old);
    Path unused = Files.move(StoreDirectory.partitionOf(directory, number), old, ATOMIC_MOVE);
    PrivateFiles.forceDirectory(directory);
    FileTrees.delete(old);
  }
}
