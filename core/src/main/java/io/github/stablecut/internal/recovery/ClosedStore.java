package io.github.stablecut.internal.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.NotAStoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The directory of a closed store, or of a stopped node of a cluster, opened for reading: this
 * changes nothing, and no process can open the store until this is closed. Thread-safe.
 */
public final class ClosedStore implements AutoCloseable {
  private static final int MAX_IDENTITY_BYTES = 1 << 16;

  private final Path directory;

  /** Empty if the store was never opened for writing in this directory, for example in a copy. */
  private final Optional<DirectoryLock> lock;

  private ClosedStore(Path directory, Optional<DirectoryLock> lock) {
    this.directory = directory;
    this.lock = lock;
  }

  /**
   * Locks a directory for reading.
   *
   * @throws NotAStoreException if there is neither a store nor a node
   * @throws io.github.stablecut.error.StoreInUseException if a process has it open
   */
  public static ClosedStore open(Path directory) {
    if (!isOfNode(directory)) {
      requireStore(directory);
    }
    try {
      return new ClosedStore(directory, DirectoryLock.acquireShared(directory));
    } catch (IOException e) {
      throw StoreDirectory.failed(directory, "read", e);
    }
  }

  private static boolean isOfNode(Path directory) {
    return Files.isRegularFile(directory.resolve(NodeDirectory.NODE));
  }

  /**
   * Refuses a directory without a store, in which opening would create one.
   *
   * @throws NotAStoreException if there is no store
   */
  public static void requireStore(Path directory) {
    if (!Files.isRegularFile(directory.resolve(StoreDirectory.IDENTITY))) {
      throw new NotAStoreException(whyNoStore(directory));
    }
  }

  private static String whyNoStore(Path directory) {
    if (!Files.isDirectory(directory)) {
      return (Files.exists(directory) ? directory + " is a file" : "there is no " + directory)
          + ": name the directory of a store";
    }
    if (Files.exists(directory.resolve(StoreDirectory.BACKUP))) {
      return directory + " is a backup: restore it into another directory, and name that";
    }
    if (Files.exists(directory.resolve(NodeDirectory.NODE))) {
      return directory
          + " belongs to a node of a cluster: name the directory of a standalone store";
    }
    return "%s contains no store, because it has no file %s: name the directory of a store"
        .formatted(directory, StoreDirectory.IDENTITY);
  }

  /**
   * Checks, like an open, that a partition belongs to this store and is not older than the store.
   *
   * @param identity the store's
   * @throws CorruptStoreException if either check fails, or if a file is damaged or missing
   */
  public void checkPartition(StoreIdentity identity, int partition) {
    try {
      new Epochs(
              directory,
              identity,
              List.of(partition),
              number -> StoreDirectory.partitionOf(directory, number))
          .check();
    } catch (IOException e) {
      throw StoreDirectory.failed(directory, "read", e);
    }
  }

  /** The name of the node that the directory belongs to; empty for an embedded store. */
  public Optional<String> node() {
    return isOfNode(directory) ? Optional.of(plan().name()) : Optional.empty();
  }

  /** The node's plan of its cluster; empty for an embedded store. */
  public Optional<NodePlan> nodePlan() {
    return isOfNode(directory) ? Optional.of(plan()) : Optional.empty();
  }

  /** The recorded openings of other nodes' directories. */
  public List<NodeOpening> openings() {
    return KnownOpenings.read(directory.resolve(NodeDirectory.OPENINGS)).all();
  }

  /** The number of openings of the node's directory, according to its files. */
  public long countOfOpenings() {
    try {
      return NodeDirectory.countOfOpenings(directory, NodeDirectory.claims(directory, plan()));
    } catch (IOException e) {
      throw StoreDirectory.failed(directory, "read", e);
    }
  }

  /** Whether a crash interrupted the installation of another replica's checkpoint. */
  public boolean isBeingInstalled(int partition) {
    Path mark =
        StoreDirectory.partitionOf(directory, partition).resolve(IncomingCheckpoint.INSTALL);
    return Files.exists(mark);
  }

  private NodePlan plan() {
    try {
      return NodePlanFormat.read(directory.resolve(NodeDirectory.NODE));
    } catch (IOException e) {
      throw StoreDirectory.failed(directory, "read", e);
    }
  }

  /**
   * The identity of the store.
   *
   * @throws io.github.stablecut.error.StablecutException if its file is damaged or not an identity
   */
  public StoreIdentity identity() {
    if (isOfNode(directory)) {
      return NodeDirectory.identity(plan());
    }
    Path file = directory.resolve(StoreDirectory.IDENTITY);
    try (InputStream in = Files.newInputStream(file)) {
      byte[] content = in.readNBytes(MAX_IDENTITY_BYTES + 1);
      if (content.length > MAX_IDENTITY_BYTES) {
        throw new CorruptStoreException(
            "%s has more than %,d bytes: it is damaged; restore it from a backup"
                .formatted(file, MAX_IDENTITY_BYTES));
      }
      return StoreIdentity.parse(new String(content, UTF_8), file.toString());
    } catch (IOException e) {
      throw StoreDirectory.failed(directory, "read", e);
    }
  }

  /**
   * The partitions that must exist here, ascending: all of a store, or those that a node owns.
   *
   * @throws io.github.stablecut.error.DamageException if a file that states it is damaged
   */
  public List<Integer> partitions() {
    int all = identity().partitions();
    return isOfNode(directory)
        ? partitionsOfNode(plan())
        : IntStream.range(0, all).boxed().toList();
  }

  private List<Integer> partitionsOfNode(NodePlan plan) {
    try {
      return NodeDirectory.owned(directory, plan);
    } catch (IOException e) {
      throw StoreDirectory.failed(directory, "read", e);
    }
  }

  /** The partitions with a directory, for use when the files that list them are damaged. */
  public List<Integer> foundPartitions() {
    try {
      return NodeDirectory.numbers(directory);
    } catch (IOException e) {
      throw StoreDirectory.failed(directory, "read", e);
    }
  }

  /**
   * The record at which an open would cut off the journal of a partition.
   *
   * @return as {@link SyncedFile#end}
   * @throws CorruptStoreException if the file that records it is damaged
   */
  public long end(int partition) {
    try {
      return SyncedFile.existing(directory).end(partition);
    } catch (IOException e) {
      throw StoreDirectory.failed(directory, "read", e);
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

  @Override
  public void close() {
    lock.ifPresent(DirectoryLock::close);
  }
}
