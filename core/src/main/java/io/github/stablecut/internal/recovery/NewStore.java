package io.github.stablecut.internal.recovery;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The directory of a store that is being made from a backup, locked. Its identity gets its name
 * last. Until then nobody opens the directory, not even as a new store: other than one that was
 * never complete, it is not to be taken for empty. Confined to one thread.
 */
public final class NewStore implements AutoCloseable {
  static final String UNFINISHED = StoreDirectory.IDENTITY + ".restore";

  private final Path directory;
  private final boolean wasThere;
  private final DirectoryLock lock;
  private boolean isComplete;

  private NewStore(Path directory, boolean wasThere, DirectoryLock lock) {
    this.directory = directory;
    this.wasThere = wasThere;
    this.lock = lock;
  }

  /**
   * Begins a store.
   *
   * @param directory empty or not there, as the caller has found
   * @param restoredFrom the store whose backup it is made from
   */
  public static NewStore begin(Path directory, long restoredFrom) throws IOException {
    boolean wasThere = Files.isDirectory(directory);
    Path unused = Files.createDirectories(directory);
    NewStore store = new NewStore(directory, wasThere, DirectoryLock.acquire(directory));
    try {
      StoreIdentity identity = StoreDirectory.newIdentity(1, OptionalLong.of(restoredFrom));
      StoreDirectory.write(directory.resolve(UNFINISHED), identity.toText());
      StoreDirectory.createPartitions(directory, identity);
      return store;
    } catch (IOException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** Where the journal of the store's partition lies. */
  public Path journal() {
    return StoreDirectory.journalOf(directory, 0);
  }

  /** Where the checkpoints of the store's partition lie. */
  public Path checkpoints() {
    return StoreDirectory.checkpointsOf(directory, 0);
  }

  /** Makes the store one, durably; its files are. */
  public void complete() throws IOException {
    StoreDirectory.force(checkpoints());
    Path unused =
        Files.move(
            directory.resolve(UNFINISHED), directory.resolve(StoreDirectory.IDENTITY), ATOMIC_MOVE);
    StoreDirectory.force(directory);
    isComplete = true;
  }

  /** Lets go of the directory, and takes away what is in it if the store is not complete. */
  @Override
  public void close() throws IOException {
    try (lock) {
      if (!isComplete) {
        StoreDirectory.deleteTree(directory.resolve("p0"));
        Files.deleteIfExists(directory.resolve(UNFINISHED));
        Files.deleteIfExists(directory.resolve(DirectoryLock.FILE));
        if (!wasThere) {
          Files.deleteIfExists(directory);
        }
      }
    }
  }
}
