package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The directory of a node of a cluster, locked: some of the partitions of a store. Confined to the
 * thread that opens the node, but for the plan and the claims.
 *
 * <pre>
 *   LOCK              locked while the node runs; the process id
 *   NODE              whose node it is ({@link NodePlan}); there once the node belongs to a cluster
 *   OPENED            how often it was opened ({@link Epochs})
 *   p2/PARTITION      as in a {@link StoreDirectory}, for each partition that the node owns
 *   p2/journal/
 *   p2/checkpoint/
 *   p5.gone           partition 5 was given to another node ({@link MovedPartitions})
 *   p7.incoming/      a copy of partition 7 of another node
 * </pre>
 *
 * <p>NODE is written after the directories of the partitions that the node is given. So a directory
 * without NODE holds nothing that was ever acknowledged, and one with NODE and without a partition
 * that it was given, or a mark that another node has it, has lost it.
 */
public final class NodeDirectory implements AutoCloseable {
  static final String NODE = "NODE";
  private static final Pattern PARTITION = Pattern.compile("p(0|[1-9][0-9]{0,5})");

  /** What a crash leaves of a directory that was being made ({@link #form}). */
  private static final Pattern UNFINISHED =
      Pattern.compile(PARTITION.pattern() + "(\\" + MovedPartitions.GONE + "(\\.new)?)?");

  private final Path directory;
  private final DirectoryLock lock;
  private final List<PartitionClaim> claims;
  private volatile Optional<NodePlan> plan;
  private long epoch;

  private NodeDirectory(Path directory, DirectoryLock lock, Optional<NodePlan> plan)
      throws IOException {
    this.directory = directory;
    this.lock = lock;
    this.plan = plan;
    this.claims =
        plan.isEmpty() ? List.of() : List.copyOf(moved().claims(plan.get().owners().size()));
  }

  /**
   * Locks a directory, which is empty or a node's.
   *
   * @param node the node's name
   * @throws io.github.stablecut.error.StoreInUseException if it is locked; the message names the
   *     process
   * @throws NotAStoreException if it holds something else, or another node
   * @throws CorruptStoreException if it does not say how old a partition in it is
   */
  public static NodeDirectory open(Path directory, String node) {
    try {
      PrivateFiles.createDirectories(directory);
      DirectoryLock lock = DirectoryLock.acquire(directory);
      try {
        Optional<NodePlan> plan = read(directory);
        plan.ifPresent(known -> checkName(directory, known.name(), node));
        return new NodeDirectory(directory, lock, plan);
      } catch (IOException | RuntimeException e) {
        lock.close();
        throw e;
      }
    } catch (IOException e) {
      throw failed(directory, e);
    }
  }

  private static void checkName(Path directory, String known, String node) {
    if (!known.equals(node)) {
      throw new NotAStoreException(
          "%s holds node %s, not %s: start it as %s, or choose another directory"
              .formatted(directory, known, node, known));
    }
  }

  private static Optional<NodePlan> read(Path directory) throws IOException {
    Path file = directory.resolve(NODE);
    if (Files.exists(file)) {
      return Optional.of(NodePlan.read(file));
    }
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.list(directory)) {
      files.forEach(found -> names.add(found.getFileName().toString()));
    }
    names.remove(DirectoryLock.FILE);
    names.remove(NODE + ".new");
    names.removeIf(name -> UNFINISHED.matcher(name).matches());
    if (!names.isEmpty()) {
      throw new NotAStoreException(
          names.contains(StoreDirectory.IDENTITY)
              ? directory
                  + " holds a store of its own and can't join a cluster: export it, and import it into an empty cluster (./stablecut cluster import)"
              : "%s is not empty and holds no node of a cluster, there is no file %s in it but %s: choose another directory"
                  .formatted(directory, NODE, names));
    }
    return Optional.empty();
  }

  /** Whose node it is; empty if it belongs to no cluster yet. */
  public Optional<NodePlan> plan() {
    return plan;
  }

  /**
   * What the directory said of partitions when it was locked, before any epoch was raised; nothing
   * if the node belonged to no cluster.
   */
  public List<PartitionClaim> claims() {
    return claims;
  }

  /**
   * Makes the node one of a cluster, durably, with the partitions that the plan gives it.
   * Partitions that other nodes own by now are not created: the directory says whose they are
   * instead, as the one that gave them away did.
   *
   * @param elsewhere partitions that other nodes own, with the newest epochs that are known
   */
  public void form(NodePlan formed, List<MoveMark> elsewhere) {
    StoreIdentity identity = identity(formed);
    Map<Integer, MoveMark> taken =
        elsewhere.stream().collect(Collectors.toMap(MoveMark::number, mark -> mark));
    try {
      deleteUnfinished();
      for (int number : formed.given(formed.name())) {
        if (taken.containsKey(number)) {
          new MovedPartitions(directory, identity).give(taken.get(number));
        } else {
          StoreDirectory.createPartition(directory, identity, number);
        }
      }
      PrivateFiles.forceDirectory(directory);
      write(formed);
    } catch (IOException e) {
      throw failed(directory, e);
    }
  }

  private void deleteUnfinished() throws IOException {
    List<Path> unfinished;
    try (Stream<Path> files = Files.list(directory)) {
      unfinished =
          files
              .filter(file -> UNFINISHED.matcher(file.getFileName().toString()).matches())
              .toList();
    }
    for (Path file : unfinished) {
      StoreDirectory.deleteTree(file);
    }
  }

  /** Takes note, durably, that all partitions of the cluster have been there. */
  public void markFormed() throws IOException {
    write(known().formed());
  }

  private void write(NodePlan newest) throws IOException {
    StoreDirectory.replace(directory, NODE, newest.toText());
    plan = Optional.of(newest);
  }

  /** The partitions that the node has. */
  public List<Integer> numbers() throws IOException {
    return numbers(directory);
  }

  /** The partitions that have a directory of their own in another one, ascending. */
  static List<Integer> numbers(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> PARTITION.matcher(name).matches())
          .map(name -> Integer.parseInt(name.substring(1)))
          .sorted()
          .toList();
    }
  }

  /**
   * Checks that the node has what it was given, and gives its partitions a new epoch, durably.
   * Before they serve.
   *
   * @throws CorruptStoreException if a partition is missing, another store's, or too old
   */
  public long raiseEpoch() {
    NodePlan known = known();
    try {
      MovedPartitions moved = moved();
      moved.clean(numbers());
      List<Integer> numbers = numbers();
      for (int number : owned(directory, known)) {
        if (!numbers.contains(number)) {
          throw new CorruptStoreException(
              "node %s was given partition %d, but there is no directory %s: restore it"
                  .formatted(known.name(), number, StoreDirectory.partitionOf(directory, number)));
        }
      }
      epoch = epochs(known, numbers).raise();
      return epoch;
    } catch (IOException e) {
      throw failed(directory, e);
    }
  }

  /** The partitions that a node has to have: those that it was given, and has not given away. */
  static List<Integer> owned(Path directory, NodePlan plan) throws IOException {
    MovedPartitions moved = new MovedPartitions(directory, identity(plan));
    Set<Integer> owned = new TreeSet<>(numbers(directory));
    owned.addAll(plan.given(plan.name()));
    for (int number : List.copyOf(owned)) {
      if (moved.given(number).isPresent()) {
        owned.remove(number);
      }
    }
    return List.copyOf(owned);
  }

  /** Which partitions come and go. Once the node belongs to a cluster. */
  public MovedPartitions moved() {
    return new MovedPartitions(directory, identity(known()));
  }

  /** The files of a partition that the node has. */
  public PartitionImage image(int partition) {
    return new PartitionImage(StoreDirectory.partitionOf(directory, partition));
  }

  /** Says that all partitions were opened. */
  public void complete() {
    try {
      epochs(known(), numbers()).complete(epoch);
    } catch (IOException e) {
      throw failed(directory, e);
    }
  }

  /**
   * Checks that a partition that was opened before has its journal.
   *
   * @param segments the number of journal files
   */
  public void checkJournal(int partition, int segments) {
    if (segments == 0 && Files.exists(directory.resolve(Epochs.OPENED))) {
      throw new CorruptStoreException(
          "%s holds no journal, but partition %d had one: restore it from a backup"
              .formatted(journal(partition), partition));
    }
  }

  private Epochs epochs(NodePlan known, List<Integer> numbers) {
    return new Epochs(
        directory,
        identity(known),
        numbers,
        number -> StoreDirectory.partitionOf(directory, number));
  }

  private NodePlan known() {
    return plan.orElseThrow(() -> new IllegalStateException("the node belongs to no cluster yet"));
  }

  /** Which store it is that a plan is of. */
  public static StoreIdentity identity(NodePlan plan) {
    return new StoreIdentity(plan.storeId(), plan.owners().size());
  }

  /** A number for a new store. */
  public static long newStoreId() {
    return StoreDirectory.newId();
  }

  /** Deletes the directory of a node that never had partitions. */
  public static void delete(Path directory) {
    try {
      StoreDirectory.deleteTree(directory);
    } catch (IOException e) {
      throw new StoreIoException(directory + " can't be deleted: " + IoReason.of(e), e);
    }
  }

  /** The claim on the directory, for those who write to it. */
  public DirectoryLock lock() {
    return lock;
  }

  /** Where the journal of a partition lies. */
  public Path journal(int partition) {
    return StoreDirectory.journalOf(directory, partition);
  }

  /** Where the checkpoints of a partition lie. */
  public Path checkpoints(int partition) {
    return StoreDirectory.checkpointsOf(directory, partition);
  }

  private static StoreIoException failed(Path directory, IOException e) {
    return new StoreIoException(
        "the node in %s can't be opened: %s; remove the cause, and start it again"
            .formatted(directory, IoReason.of(e)),
        e);
  }

  @Override
  public void close() {
    lock.close();
  }
}
