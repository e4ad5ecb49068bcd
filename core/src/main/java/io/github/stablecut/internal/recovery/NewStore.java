package io.github.stablecut.internal.recovery;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongFunction;

/**
 * The locked directory of a store that is being restored from a backup, or begins as a new data
 * centre. Its identity file gets its final name last. Until then the directory can't be opened, not
 * even as a new store, so that an interrupted restore is never mistaken for an empty store.
 * Confined to one thread.
 */
public final class NewStore implements AutoCloseable {
  static final String UNFINISHED = StoreDirectory.IDENTITY + ".restore";

  private final Path directory;
  private final StoreIdentity identity;
  private final int partitions;
  private final boolean wasThere;
  private final DirectoryLock lock;
  private boolean isComplete;

  private NewStore(Path directory, StoreIdentity identity, boolean wasThere, DirectoryLock lock) {
    this.directory = directory;
    this.identity = identity;
    this.partitions = identity.partitions();
    this.wasThere = wasThere;
    this.lock = lock;
  }

  /**
   * Begins a restore.
   *
   * @param directory empty or missing, as checked by the caller
   * @param identityOf creates the identity of the store with a given id
   */
  public static NewStore begin(Path directory, LongFunction<StoreIdentity> identityOf)
      throws IOException {
    return begin(directory, identityOf.apply(StoreDirectory.newId()));
  }

  /** Begins the store of a new data centre. */
  public static NewStore join(Path directory, StoreIdentity identity, Membership group)
      throws IOException {
    NewStore store = begin(directory, identity);
    try {
      PrivateFiles.replace(directory, StoreDirectory.DATA_CENTRES, group.toText());
      return store;
    } catch (IOException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  private static NewStore begin(Path directory, StoreIdentity identity) throws IOException {
    boolean wasThere = Files.isDirectory(directory);
    PrivateFiles.createDirectories(directory);
    NewStore store = new NewStore(directory, identity, wasThere, DirectoryLock.acquire(directory));
    try {
      PrivateFiles.write(directory.resolve(UNFINISHED), identity.toText());
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

  /** Durably sets the number from which the store's openings are counted. */
  public void startAt(long epoch) throws IOException {
    for (int number = 0; number < partitions; number++) {
      Epochs.write(StoreDirectory.partitionOf(directory, number), identity, number, epoch);
    }
  }

  /** Durably completes the store, whose files are durable already. */
  public void complete() throws IOException {
    forceAll();
    Files.move(
        directory.resolve(UNFINISHED), directory.resolve(StoreDirectory.IDENTITY), ATOMIC_MOVE);
    PrivateFiles.forceDirectory(directory);
    isComplete = true;
  }

  /**
   * Like {@link #complete}, as the first node of a cluster, which has all partitions.
   *
   * @param isReplicated whether partitions can get more replicas
   */
  public void completeAsNode(String node, boolean isReplicated) throws IOException {
    forceAll();
    for (int number = 0; isReplicated && number < partitions; number++) {
      new VoteFile(StoreDirectory.partitionOf(directory, number), lock).write(0);
    }
    // From here on it is a node; the remaining files are ignored.
    NodePlan plan = NodePlan.alone(identity, node, isReplicated);
    PrivateFiles.replace(directory, NodeDirectory.NODE, NodePlanFormat.toText(plan));
    isComplete = true;
    Files.deleteIfExists(directory.resolve(UNFINISHED));
  }

  private void forceAll() throws IOException {
    for (int number = 0; number < partitions; number++) {
      PrivateFiles.forceDirectory(checkpoints(number));
    }
  }

  /** Unlocks the directory, and deletes its content if the store is not complete. */
  @Override
  public void close() throws IOException {
    try (lock) {
      if (!isComplete) {
        for (int number = 0; number < partitions; number++) {
          FileTrees.delete(StoreDirectory.partitionOf(directory, number));
        }
        Files.deleteIfExists(directory.resolve(UNFINISHED));
        Files.deleteIfExists(directory.resolve(StoreDirectory.DATA_CENTRES));
        Files.deleteIfExists(directory.resolve(DirectoryLock.FILE));
        if (!wasThere) {
          Files.deleteIfExists(directory);
        }
      }
    }
  }
}
