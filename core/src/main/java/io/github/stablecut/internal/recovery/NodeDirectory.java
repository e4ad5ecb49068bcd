package io.github.stablecut.internal.recovery;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The locked directory of a cluster node, with some of the partitions of a store. Confined to the
 * thread that opens the node, except for the plan and the claims.
 *
 * <pre>
 *   LOCK              locked while the node runs; the process id
 *   NODE              the node's plan ({@link NodePlan}); exists once the node belongs to a cluster
 *   DATACENTRES       the group of data centres that the cluster belongs to ({@link Membership})
 *   SETBACK           why the cluster can no longer be a data centre, if it was restored to an older state
 *   MEMBERS           the last known addresses of the cluster's members ({@link KnownMembers})
 *   OPENED            the number of its openings ({@link Epochs})
 *   OPENINGS          those of others' directories, if partitions have replicas ({@link KnownOpenings})
 *   p2/PARTITION      as in a {@link StoreDirectory}, for each partition that the node owns
 *   p2/journal/
 *   p2/checkpoint/
 *   p2/PROMISE        the vote of a replica of a partition ({@link VoteFile})
 *   p2/incoming/      a checkpoint of another replica ({@link IncomingCheckpoint})
 *   p2/INSTALL        that checkpoint is to be installed
 *   register/         the node's part of the configuration register, if partitions have replicas
 *   p5.gone           partition 5 was given to another node ({@link MovedPartitions})
 *   p7.incoming/      a copy of partition 7 of another node
 * </pre>
 *
 * <p>NODE is written after the directories of the partitions that the plan assigns to the node. So
 * a directory without NODE has nothing that was ever acknowledged. If NODE exists, but neither such
 * a partition nor a mark that another node has it, the partition is lost.
 */
public final class NodeDirectory implements AutoCloseable {
  static final String NODE = "NODE";
  static final String MEMBERS = "MEMBERS";
  static final String OPENINGS = "OPENINGS";
  private static final Pattern PARTITION = Pattern.compile("p(0|[1-9][0-9]{0,5})");

  /** The files that an interrupted {@link #form} leaves. */
  private static final Pattern UNFINISHED =
      Pattern.compile(PARTITION.pattern() + "(\\" + MovedPartitions.GONE + "(\\.new)?)?");

  private final Path directory;
  private final DirectoryLock lock;
  private final MovedPartitions.Locks moves = new MovedPartitions.Locks();
  private final List<PartitionClaim> claims;
  private final List<PartitionClaim> owned;

  /** The number of earlier openings, according to its files. */
  private final long openedBefore;

  /** Whether it had a part of the configuration register when it was locked. */
  private final boolean hadRegister;

  private volatile Optional<NodePlan> plan;
  private volatile KnownMembers members;
  private volatile KnownOpenings openings;

  /** Identifies this run of the node. */
  private final long run = newStoreId();

  private volatile long epoch;

  /** The epoch once it is durable here; 0 before. */
  private volatile long counted;

  private NodeDirectory(Path directory, DirectoryLock lock, Optional<NodePlan> plan)
      throws IOException {
    this.directory = directory;
    this.lock = lock;
    this.plan = plan;
    this.members = KnownMembers.read(directory.resolve(MEMBERS));
    this.openings = KnownOpenings.read(directory.resolve(OPENINGS));
    this.claims = plan.isEmpty() ? List.of() : claims(directory, plan.get());
    this.owned = plan.isEmpty() ? List.of() : ownedOnly(plan.get());
    this.openedBefore = countOfOpenings(directory, claims);
    this.hadRegister = register().exists();
  }

  /** The claims of a directory on partitions. */
  static List<PartitionClaim> claims(Path directory, NodePlan plan) throws IOException {
    return List.copyOf(
        new MovedPartitions(directory, identity(plan), new MovedPartitions.Locks())
            .claims(plan.owners().size()));
  }

  /** The number of openings of a directory; without partitions, only {@code OPENED} has it. */
  static long countOfOpenings(Path directory, List<PartitionClaim> claims) throws IOException {
    return claims.stream()
        .filter(claim -> claim.kind() == PartitionClaim.Kind.HAS)
        .mapToLong(PartitionClaim::epoch)
        .reduce(Epochs.opened(directory), Math::max);
  }

  /**
   * Locks a directory, which is empty or belongs to a node.
   *
   * @param node the name of the node
   * @throws io.github.stablecut.error.StoreInUseException if it is locked; the message names the
   *     process
   * @throws NotAStoreException if it holds other files, or another node
   * @throws CorruptStoreException if the epoch of a partition is missing
   */
  public static NodeDirectory open(Path directory, String node) {
    try {
      PrivateFiles.createDirectories(directory);
      DirectoryLock lock = DirectoryLock.acquire(directory);
      try {
        Optional<NodePlan> plan = read(directory);
        StoreDirectory.forgetOperators(directory);
        if (plan.isPresent()) {
          checkName(directory, plan.get().name(), node);
          StoreDirectory.deleteLeftovers(directory);
        }
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
          "%s contains node %s, not %s: start it as %s, or choose another directory"
              .formatted(directory, known, node, known));
    }
  }

  private static Optional<NodePlan> read(Path directory) throws IOException {
    Path file = directory.resolve(NODE);
    if (Files.exists(file)) {
      return Optional.of(NodePlanFormat.read(file));
    }
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.list(directory)) {
      files.forEach(found -> names.add(found.getFileName().toString()));
    }
    names.remove(DirectoryLock.FILE);
    names.remove(StoreDirectory.OPERATORS);
    names.remove(NODE + ".new");
    names.remove(MEMBERS);
    names.remove(MEMBERS + ".new");
    names.removeIf(name -> UNFINISHED.matcher(name).matches());
    if (!names.isEmpty()) {
      throw new NotAStoreException(
          names.contains(StoreDirectory.IDENTITY)
              ? directory
                  + " contains a standalone store and can't join a cluster: export it, and import it"
                  + " into an empty cluster (stablecut cluster import)"
              : "%s is not empty and contains no node of a cluster, because it has no file %s but %s: choose another directory"
                  .formatted(directory, NODE, names));
    }
    return Optional.empty();
  }

  /** The plan of the node's cluster; empty if it belongs to none yet. */
  public Optional<NodePlan> plan() {
    return plan;
  }

  /**
   * The directory's claims on partitions when it was locked, before any epoch was raised; none if
   * the node belonged to no cluster.
   */
  public List<PartitionClaim> claims() {
    return claims;
  }

  /**
   * The claims by which only this node has a partition, because it has no replicas, or is not yet a
   * replica known to the configuration register. No other node may recreate it, although it is not
   * open yet.
   */
  public List<PartitionClaim> owned() {
    return owned;
  }

  private List<PartitionClaim> ownedOnly(NodePlan known) {
    long after = known.epochsAfter();
    return claims.stream()
        .filter(claim -> claim.kind() == PartitionClaim.Kind.HAS)
        .filter(claim -> !known.isReplicated() || (after > 0 && mayBeFirst(claim, after)))
        .toList();
  }

  /**
   * Whether a replica has not voted since its partition got replicas, or its vote is unreadable.
   */
  private boolean mayBeFirst(PartitionClaim claim, long after) {
    try {
      return promise(claim.partition()).read() == after;
    } catch (StablecutException e) {
      return true;
    }
  }

  /**
   * Durably makes the node a member of a cluster, with the partitions that the plan assigns to it.
   * Does not create partitions that other nodes own now, but records their owners, as if it had
   * given them away.
   *
   * @param elsewhere the partitions that other nodes own, with the highest known epochs
   */
  public void form(NodePlan formed, List<MoveMark> elsewhere) {
    StoreIdentity identity = identity(formed);
    Map<Integer, MoveMark> taken =
        elsewhere.stream().collect(Collectors.toMap(MoveMark::number, mark -> mark));
    try {
      deleteUnfinished();
      for (int number : formed.assignedTo(formed.name())) {
        if (taken.containsKey(number)) {
          new MovedPartitions(directory, identity, moves).give(taken.get(number));
        } else {
          StoreDirectory.createPartition(directory, identity, number);
          if (formed.isReplicated()) {
            promise(number).write(0);
          }
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
      FileTrees.delete(file);
    }
  }

  /** Durably records that all partitions of the cluster have been open. */
  public void markFormed() throws IOException {
    write(known().formed());
  }

  /** Durably adopts a newer plan of another node. */
  public void update(NodePlan newer) throws IOException {
    if (newer.isNewerThan(known())) {
      write(known().updatedBy(newer));
    }
  }

  /**
   * Durably records that partitions without replicas now have a configuration register. First the
   * partitions that the node owns vote for the epochs before it, and the node's part of the
   * register is created, so that a crash leaves either state. Called once partitions are open.
   *
   * @param newPlan the node's plan with that change
   * @param mark as for {@link RegisterDirectory#create}
   */
  public void beginReplicas(NodePlan newPlan, String mark) throws IOException {
    for (int number : owned(directory, known())) {
      promise(number).write(newPlan.epochsAfter());
    }
    if (newPlan.registerNodes().contains(newPlan.name()) && !register().exists()) {
      register().create(mark);
    }
    update(newPlan);
  }

  /** Durably renames the node's replicas; it has none yet. */
  public void renew(String replica) throws IOException {
    write(known().renewed(replica));
  }

  /**
   * Durably creates the directory of a new replica, before a plan assigns it to the node. Called
   * once partitions are open.
   *
   * @param promised the current configuration epoch in the register; votes of an earlier replica of
   *     that name no longer count after it
   */
  public void createReplica(int number, long promised) throws IOException {
    // Above the mark of a move from before partitions had replicas.
    long givenEpoch = moved().findMark(number).map(MoveMark::epoch).orElse(0L);
    replicas().create(number, Math.max(epoch, givenEpoch), promised);
  }

  /**
   * Like {@link #createReplica}, for a lost partition, which is recreated as if it had no replicas
   * until now.
   *
   * @param at an epoch above all earlier ones of the partition
   * @param promised the epoch after which configuration epochs begin
   */
  public void createFirst(int number, long at, long promised) throws IOException {
    replicas().create(number, Math.max(epoch, at), promised);
  }

  /** The epoch of a partition in this directory, which is above all its earlier ones. */
  public long epochOf(int number) throws IOException {
    return moved().epoch(number);
  }

  /** Deletes a replica that the plan no longer assigns to the node, and that no longer votes. */
  public void deleteReplica(int number) throws IOException {
    replicas().delete(number);
  }

  private ReplicaDirectories replicas() {
    return new ReplicaDirectories(directory, identity(known()), lock);
  }

  private void write(NodePlan newest) throws IOException {
    PrivateFiles.replace(directory, NODE, NodePlanFormat.toText(newest));
    plan = Optional.of(newest);
  }

  /**
   * The last known addresses of the cluster's members. Empty if they were never recorded, or if the
   * node had another address then: the directory was moved to another machine, or is a copy.
   *
   * @param self the node's address
   */
  public Set<String> members(String self) {
    KnownMembers known = members;
    return known.self().equals(self) ? known.members() : Set.of();
  }

  /**
   * Durably records the addresses of the cluster's members.
   *
   * @param self the node's own address
   */
  public void remember(String self, Set<String> addresses) throws IOException {
    KnownMembers known = new KnownMembers(self, addresses);
    PrivateFiles.replace(directory, MEMBERS, known.toText());
    members = known;
  }

  /**
   * The opening of the directory to announce to other nodes; empty if it has no partitions and no
   * part of the register, or was never opened. Only nodes with replicas remember the announcements
   * of others.
   */
  public Optional<NodeOpening> opening() {
    NodeOpening opening =
        counted > 0
            ? new NodeOpening(replica(), counted, run)
            : new NodeOpening(replica(), openedBefore, 0);
    return plan.filter(this::hasVotes).isPresent() && opening.count() > 0
        ? Optional.of(opening)
        : Optional.empty();
  }

  /**
   * Whether replicas or the register vote here, or may have voted as partitions became replicas.
   */
  private boolean hasVotes(NodePlan known) {
    boolean isToVote = known.isReplicated() && known.nodes().contains(known.name());
    return isToVote || hadRegister || !claims.isEmpty();
  }

  private String replica() {
    return plan.map(NodePlan::replica).orElse("");
  }

  /** The last recorded openings of other directories. */
  public List<NodeOpening> openings() {
    return openings.all();
  }

  /** Durably records the openings of other directories. The node must belong to a cluster. */
  public void rememberOpenings(Collection<NodeOpening> others) throws IOException {
    KnownOpenings known = KnownOpenings.of(others);
    PrivateFiles.replace(directory, OPENINGS, known.toText());
    openings = known;
  }

  /** The files about the data centres that the cluster belongs to. */
  public DataCentreFiles dataCentre() {
    return new DataCentreFiles(directory, lock, (done, cause) -> failed(directory, cause));
  }

  /** The partitions that the node owns. */
  public List<Integer> numbers() throws IOException {
    return numbers(directory);
  }

  /** The partitions that have a directory in a node's directory, ascending. */
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
   * Checks that the node has its partitions, and durably raises their epoch. Called before they
   * serve.
   *
   * @throws CorruptStoreException if a partition is missing, belongs to another store, or is too
   *     old
   */
  @CanIgnoreReturnValue
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
      if (!numbers.isEmpty()) {
        counted = epoch;
      }
      return epoch;
    } catch (IOException e) {
      throw failed(directory, e);
    }
  }

  /**
   * The partitions that a node must have: those that the plan assigns to it, and received ones,
   * without those given away.
   */
  static List<Integer> owned(Path directory, NodePlan plan) throws IOException {
    MovedPartitions moved =
        new MovedPartitions(directory, identity(plan), new MovedPartitions.Locks());
    Set<Integer> owned = new TreeSet<>(numbers(directory));
    owned.addAll(plan.assignedTo(plan.name()));
    for (int number : List.copyOf(owned)) {
      if (moved.findMark(number).isPresent()) {
        owned.remove(number);
      }
    }
    return List.copyOf(owned);
  }

  /** The moves of partitions. The node must belong to a cluster. */
  public MovedPartitions moved() {
    return new MovedPartitions(directory, identity(known()), moves);
  }

  /** The owners of partitions that this node gave away, or that were recreated elsewhere. */
  public List<MoveMark> moveMarks() {
    int partitions = plan.map(known -> known.owners().size()).orElse(0);
    List<MoveMark> marks = new ArrayList<>();
    try {
      for (int number = 0; number < partitions; number++) {
        moved().findMark(number).ifPresent(marks::add);
      }
    } catch (IOException e) {
      throw failed(directory, e);
    }
    return marks;
  }

  /** The files of a partition that the node owns. */
  public PartitionImage image(int partition) {
    return new PartitionImage(StoreDirectory.partitionOf(directory, partition));
  }

  /** Records that all partitions were opened. */
  public void complete() {
    try {
      epochs(known(), numbers()).complete(epoch);
      counted = epoch;
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
    if (segments == 0 && wasOpened(directory)) {
      throw new CorruptStoreException(
          "%s contains no journal, but partition %d had one: restore it from a backup"
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

  /** The identity of the store that a plan belongs to. */
  public static StoreIdentity identity(NodePlan plan) {
    return new StoreIdentity(
        plan.storeId(),
        plan.owners().size(),
        plan.dataCentre(),
        OptionalLong.empty(),
        plan.routing());
  }

  /** Creates the id of a new store. */
  public static long newStoreId() {
    return StoreDirectory.newId();
  }

  /** Deletes the directory of a node that never had partitions. */
  public static void delete(Path directory) {
    try {
      FileTrees.delete(directory);
    } catch (IOException e) {
      throw new StoreIoException(directory + " can't be deleted: " + IoReason.of(e), e);
    }
  }

  /** The vote of the replica in this directory. */
  public VoteFile promise(int partition) {
    return new VoteFile(StoreDirectory.partitionOf(directory, partition), lock);
  }

  /**
   * A checkpoint of another replica of a partition.
   *
   * @param beginning creates an empty journal of the partition
   */
  public IncomingCheckpoint incoming(int partition, IncomingCheckpoint.JournalCreator beginning) {
    return new IncomingCheckpoint(
        StoreDirectory.partitionOf(directory, partition), lock, beginning);
  }

  /** The node's part of the configuration register. */
  public RegisterDirectory register() {
    return new RegisterDirectory(directory, lock);
  }

  /** Whether the node's partitions were ever open. */
  static boolean wasOpened(Path directory) {
    return Files.exists(directory.resolve(Epochs.OPENED));
  }

  /** The lock on the directory, for fencing writes. */
  public DirectoryLock lock() {
    return lock;
  }

  /** The journal directory of a partition. */
  public Path journal(int partition) {
    return StoreDirectory.journalOf(directory, partition);
  }

  /** The checkpoint directory of a partition. */
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
