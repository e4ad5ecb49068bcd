package io.github.stablecut.internal.recovery;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The locked directory of a store that is being restored from a backup. Its identity file gets its
 * final name last. Until then the directory can't be opened, not even as a new store, so that an
 * interrupted restore is never taken for an empty store. Confined to one thread.
 */
public final class NewStore implements AutoCloseable {
  static final String UNFINISHED = StoreDirectory.IDENTITY + ".restore";

  private final Path directory;
  private final int partitions;
  private final boolean wasThere;
  private final DirectoryLock lock;
  private boolean isComplete;

  private NewStore(Path directory, int partitions, boolean wasThere, DirectoryLock lock) {
    this.directory = directory;
    this.partitions = partitions;
    this.wasThere = wasThere;
    this.lock = lock;
  }

  /**
   * Begins a restore.
   *
   * @param directory empty or missing, as the caller has checked
   * @param partitions the number of partitions
   * @param restoredFrom the id of the backed-up store
   * @param routing decides which partition an object belongs to
   */
  public static NewStore begin(Path directory, int partitions, long restoredFrom, long routing)
      throws IOException {
    boolean wasThere = Files.isDirectory(directory);
    PrivateFiles.createDirectories(directory);
    NewStore store =
        new NewStore(directory, partitions, wasThere, DirectoryLock.acquire(directory));
    try {
      StoreIdentity identity =
          new StoreIdentity(
              StoreDirectory.newId(), partitions, OptionalLong.of(restoredFrom), routing);
      StoreDirectory.write(directory.resolve(UNFINISHED), identity.toText());
      StoreDirectory.createPartitions(directory, identity);
      return store;
    } catch (IOException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** The journal directory of a partition. */
  public Path journal(int partition) {
    return StoreDirectory.journalOf(directory, partition);
  }

  /** The checkpoint directory of a partition. */
  public Path checkpoints(int partition) {
    return StoreDirectory.checkpointsOf(directory, partition);
  }

  /** Durably completes the store, whose files are durable already. */
  public void complete() throws IOException {
    for (int number = 0; number < partitions; number++) {
      PrivateFiles.forceDirectory(checkpoints(number));
    }
    Path unused =
        Files.move(
            directory.resolve(UNFINISHED), directory.resolve(StoreDirectory.IDENTITY), ATOMIC_MOVE);
    PrivateFiles.forceDirectory(directory);
    isComplete = true;
  }

  /** Unlocks the directory, and deletes its content if the store is not complete. */
  @Override
  public void close() throws IOException {
    try (lock) {
      if (!isComplete) {
        for (int number = 0; number < partitions; number++) {
          StoreDirectory.deleteTree(StoreDirectory.partitionOf(directory, number));
        }
        Files.deleteIfExists(directory.resolve(UNFINISHED));
        Files.deleteIfExists(directory.resolve(DirectoryLock.FILE));
        if (!wasThere) {
          Files.deleteIfExists(directory);
        }
      }
    }
  }
}
