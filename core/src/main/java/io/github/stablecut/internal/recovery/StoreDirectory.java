package io.github.stablecut.internal.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.PartitionCountException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The locked directory of a store.
 *
 * <pre>
 *   LOCK              locked while the store is open; the process id
 *   STABLECUT         the identity ({@link StoreIdentity}); exists once the store is complete
 *   STABLECUT.new     the identity of a store that is being made
 *   STABLECUT.restore the identity of a store that is being made from a backup ({@link NewStore})
 *   OPERATORS         the address of the server that has it open; a hint
 *   SESSIONS          the key by which a server recognizes the sessions of its clients
 *   OPENED            the number of its openings ({@link Epochs})
 *   DATACENTRES       the group of data centres that it belongs to ({@link Membership}), if any
 *   SYNCED            the joint sync of its partitions ({@link SyncedFile}), if they are synced together
 *   SETBACK           why the store can no longer be a data centre, if it can't
 *   joining-N.tmp/    the initial data of data centre N, while it is sent
 *   verifying.tmp/    a backup and a store restored from it, while they are verified
 *   reading.tmp/      an image of the open store, while it is read
 *   p0/PARTITION      the partition's store and number, and its openings
 *   p0/journal/       the journal of partition 0
 *   p0/checkpoint/    its checkpoints
 *   p1/ ...           the other partitions
 * </pre>
 *
 * <p>A store is created in this order: STABLECUT.new, partitions, rename to STABLECUT. So a
 * directory with STABLECUT.new has nothing that was ever acknowledged, and the creation restarts. A
 * directory with STABLECUT but without a journal has lost the journal.
 */
public final class StoreDirectory implements AutoCloseable {
  /** The file that identifies a backup; a store has none. */
  public static final String BACKUP = "BACKUP";

  /** The file with the address of the server that has the directory open; a hint. */
  public static final String OPERATORS = "OPERATORS";

  /** The file with the key by which a server recognizes the sessions of its clients; secret. */
  public static final String SESSIONS = "SESSIONS";

  /**
   * The directory for a backup of the open store, and a store restored from it, while they are
   * verified: on the same disk, where the server may write. The next open deletes it after a crash.
   */
  public static final String VERIFYING = "verifying.tmp";

  /** The directory for an image of the open store while it is read ({@link OpenStoreImage}). */
  public static final String IMAGE = "reading.tmp";

  /** The file with the group of data centres. */
  public static final String DATA_CENTRES = "DATACENTRES";

  /** The file that marks a directory restored to an older state. */
  static final String SET_BACK = "SETBACK";

  static final String IDENTITY = "STABLECUT";
  static final String UNFINISHED = IDENTITY + ".new";
  private static final String FIRST_WORD = "stablecut ";

  /** The names of temporary directories. */
  static final String TEMPORARIES = "(joining|cut|verifying|reading)(-[0-9]+)*\\.tmp";

  private final Path directory;
  private final DirectoryLock lock;
  private final StoreIdentity identity;
  private long epoch;

  private StoreDirectory(Path directory, DirectoryLock lock, StoreIdentity identity) {
    this.directory = directory;
    this.lock = lock;
    this.identity = identity;
  }

  /**
   * Locks a directory, and finds the store in it or starts to create one; the caller calls {@link
   * #complete} once the partitions are open.
   *
   * @param partitions the number of partitions of a new store, which an existing one must have; 0
   *     for 1, or the existing number
   */
  public static StoreDirectory open(Path directory, int partitions) {
    try {
      checkContent(directory);
      PrivateFiles.createDirectories(directory);
      DirectoryLock lock = DirectoryLock.acquire(directory);
      try {
        StoreIdentity identity = findOrBegin(directory, partitions);
        deleteLeftovers(directory);
        forgetOperators(directory);
        return new StoreDirectory(directory, lock, identity);
      } catch (IOException | RuntimeException e) {
        lock.close();
        throw e;
      }
    } catch (IOException e) {
      throw failed(directory, "opened", e);
    }
  }

  /** Refuses a directory with foreign files before this writes anything to it. */
  private static void checkContent(Path directory) throws IOException {
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new NotAStoreException(directory + " is a file: name a directory");
    }
    if (!Files.isDirectory(directory)) {
      return;
    }
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.list(directory)) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    if (!names.contains(IDENTITY) && !names.contains(UNFINISHED)) {
      names.remove(DirectoryLock.FILE);
      if (!names.isEmpty()) {
        throw new NotAStoreException(
            "%s is not empty and contains no store, because it has no file %s but %s: %s"
                .formatted(directory, IDENTITY, names, advice(names)));
      }
    }
  }

  /**
   * The store, node or backup directory that a path lies in, if any: foreign files must not be
   * created there. Files being verified ({@link #VERIFYING}) are not foreign.
   *
   * @param path need not exist
   */
  public static Optional<Path> around(Path path) throws IOException {
    Path absolute = path.toAbsolutePath().normalize();
    while (!Files.exists(absolute) && absolute.getParent() != null) {
      absolute = absolute.getParent();
    }
    for (Path place = absolute.toRealPath(); place != null; place = place.getParent()) {
      if (place.endsWith(VERIFYING)) {
        return Optional.empty();
      }
      for (String name : List.of(IDENTITY, NodeDirectory.NODE, BACKUP)) {
        if (isOurs(place.resolve(name))) {
          return Optional.of(place);
        }
      }
    }
    return Optional.empty();
  }

  /** Whether a file identifies one of our directories, by its first word. */
  private static boolean isOurs(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(FIRST_WORD.length()), UTF_8).equals(FIRST_WORD);
    }
  }

  private static String advice(Set<String> names) {
    if (names.contains(NodeDirectory.NODE)) {
      return "it belongs to a node of a cluster; join the cluster with it";
    }
    if (names.contains(NewStore.UNFINISHED)) {
      return "a restore into it was interrupted; delete the directory and restore again";
    }
    return names.contains(BACKUP)
        ? "it is a backup; restore it into another directory"
        : "choose another directory";
  }

  static long newId() {
    return new SecureRandom().nextLong();
  }

  private static StoreIdentity findOrBegin(Path directory, int partitions) throws IOException {
    Path file = directory.resolve(IDENTITY);
    if (Files.exists(file)) {
      StoreIdentity found = StoreIdentity.parse(CheckedText.read(file), file.toString());
      if (partitions != 0 && partitions != found.partitions()) {
        throw new PartitionCountException(
            "the store in %s has %d partitions and can't be opened with %d: omit the number, or export it and import it into a new store"
                .formatted(directory, found.partitions(), partitions));
      }
      return found;
    }
    StoreIdentity identity = new StoreIdentity(newId(), Math.max(1, partitions));
    for (int number = 0; Files.exists(partitionOf(directory, number)); number++) {
      FileTrees.delete(partitionOf(directory, number));
    }
    Files.deleteIfExists(directory.resolve(Epochs.OPENED));
    Files.deleteIfExists(directory.resolve(DATA_CENTRES));
    Files.deleteIfExists(directory.resolve(SyncedFile.FILE));
    PrivateFiles.write(directory.resolve(UNFINISHED), identity.toText());
    createPartitions(directory, identity);
    return identity;
  }

  static void createPartitions(Path directory, StoreIdentity identity) throws IOException {
    for (int number = 0; number < identity.partitions(); number++) {
      createPartition(directory, identity, number);
    }
    PrivateFiles.forceDirectory(directory);
  }

  static void createPartition(Path directory, StoreIdentity identity, int number)
      throws IOException {
    Path partition = partitionOf(directory, number);
    PrivateFiles.createDirectories(journalIn(partition));
    PrivateFiles.createDirectories(checkpointsIn(partition));
    Epochs.create(partition, identity, number);
  }

  /**
   * Checks that all partitions exist and belong together.
   *
   * @throws CorruptStoreException if one is missing, belongs to another store, or is older than the
   *     others
   */
  public void checkPartitions() {
    try {
      epochs().check();
    } catch (IOException e) {
      throw failed(directory, "opened", e);
    }
  }

  /** Durably raises the epoch of all partitions. Called before they serve. */
  @CanIgnoreReturnValue
  public long raiseEpoch() {
    try {
      epoch = epochs().raise();
      return epoch;
    } catch (IOException e) {
      throw failed(directory, "opened", e);
    }
  }

  private Epochs epochs() {
    List<Integer> all = IntStream.range(0, identity.partitions()).boxed().toList();
    return new Epochs(directory, identity, all, number -> partitionOf(directory, number));
  }

  /**
   * Durably completes a new store, whose partitions are durable, and records the opening. Called
   * before the store reports any time.
   *
   * @param issuedTime a time at or above all times reported before
   * @return the openings of the store, including this one
   */
  public Lineage complete(long issuedTime) {
    Path unfinished = directory.resolve(UNFINISHED);
    try {
      Lineage lineage = epochs().lineage().with(issuedTime, newId() | 1);
      epochs().complete(epoch, lineage);
      if (Files.exists(unfinished) && !Files.exists(directory.resolve(IDENTITY))) {
        Files.move(unfinished, directory.resolve(IDENTITY), ATOMIC_MOVE);
        PrivateFiles.forceDirectory(directory);
      }
      return lineage;
    } catch (IOException e) {
      throw failed(directory, "completed", e);
    }
  }

  /** Deletes temporary directories left by a crash. */
  static void deleteLeftovers(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(StoreDirectory::isTemporary).toList()) {
        FileTrees.delete(file);
      }
    }
  }

  /** Deletes the address of an earlier server, which no longer has the directory open. */
  static void forgetOperators(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(OPERATORS));
  }

  private static boolean isTemporary(Path file) {
    return file.getFileName().toString().matches(TEMPORARIES) && Files.isDirectory(file);
  }

  /** The identity of the store. */
  public StoreIdentity identity() {
    return identity;
  }

  /** The files about the data centres that the store belongs to. */
  public DataCentreFiles dataCentre() {
    return new DataCentreFiles(directory, lock, (done, cause) -> failed(directory, done, cause));
  }

  /** The record of the partitions' joint sync. */
  public SyncedFile synced() {
    try {
      return SyncedFile.in(directory, lock);
    } catch (IOException e) {
      throw failed(directory, "opened", e);
    }
  }

  /** The lock on the directory, for fencing writes. */
  public DirectoryLock lock() {
    return lock;
  }

  /** The journal directory of a partition. */
  public Path journal(int partition) {
    return journalOf(directory, partition);
  }

  /** The checkpoint directory of a partition. */
  public Path checkpoints(int partition) {
    return checkpointsOf(directory, partition);
  }

  static Path journalOf(Path directory, int partition) {
    return journalIn(partitionOf(directory, partition));
  }

  static Path checkpointsOf(Path directory, int partition) {
    return checkpointsIn(partitionOf(directory, partition));
  }

  static Path journalIn(Path partition) {
    return partition.resolve("journal");
  }

  static Path checkpointsIn(Path partition) {
    return partition.resolve("checkpoint");
  }

  static Path partitionOf(Path directory, int partition) {
    return directory.resolve("p" + partition);
  }

  /**
   * Checks that a partition of a complete store has its journal.
   *
   * @param segments the number of journal files
   */
  public void checkJournal(int partition, int segments) {
    if (segments == 0 && Files.exists(directory.resolve(IDENTITY))) {
      throw new CorruptStoreException(
          "%s contains no journal, but the store in %s has one: restore it from a backup"
              .formatted(journal(partition), directory));
    }
  }

  /**
   * The exception for a failure on a store's files.
   *
   * @param done the failed action: "opened", "read"
   */
  public static StoreIoException failed(Path directory, String done, IOException cause) {
    return new StoreIoException(
        "the store in %s can't be %s: %s; remove the cause, and open it again"
            .formatted(directory, done, IoReason.of(cause)),
        cause);
  }

  @Override
  public void close() {
    lock.close();
  }
}
