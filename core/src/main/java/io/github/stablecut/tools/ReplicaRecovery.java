package io.github.stablecut.tools;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.internal.recovery.ClosedStore;
import io.github.stablecut.internal.recovery.NewStore;
import io.github.stablecut.internal.recovery.NodeOpening;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.journal.ClosedJournal;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Recovers a cluster with replicas after the loss of too many nodes. For each partition, the
 * replica with the latest log becomes a partition of an embedded store, with all records in it,
 * whether a majority had them or not. Reads the directories of stopped nodes, and changes nothing
 * in them. Confined to one thread.
 */
public final class ReplicaRecovery implements AutoCloseable {
  /**
   * A replica of a partition. Immutable.
   *
   * @param directory the directory of its node
   * @param name its name: the node's name or, for a node that restarted with an empty directory, a
   *     name of its own
   * @param epoch the epoch at the end of its log
   * @param records the number of records that its log has had
   */
  public record FoundReplica(Path directory, String name, long epoch, long records) {}

  /**
   * A partition. Immutable.
   *
   * @param planned the nodes that should have replicas, or that had the first ones
   * @param found the usable replicas, the one with the latest log first
   * @param mayLackCommits whether acknowledged commits may be missing, because too few of the
   *     replicas with a complete log were found
   */
  public record Partition(
      int number, List<String> planned, List<FoundReplica> found, boolean mayLackCommits) {
    /** Copies the lists. */
    public Partition {
      planned = List.copyOf(planned);
      found = List.copyOf(found);
    }
  }

  private final List<ClosedStore> stores = new ArrayList<>();
  private final List<Path> directories;
  private final List<String> notes = new ArrayList<>();
  private final NodePlan plan;
  private final Set<Path> outdated;
  private final List<Partition> partitions = new ArrayList<>();

  private ReplicaRecovery(List<Path> directories) {
    this.directories = List.copyOf(directories);
    try {
      for (Path directory : directories) {
        stores.add(ClosedStore.open(directory));
      }
      this.plan = commonPlan();
      this.outdated = findOutdated();
      for (int number = 0; number < plan.replicas().size(); number++) {
        partitions.add(find(number));
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /**
   * Opens the directories of stopped nodes, and locks them until the recovery is closed.
   *
   * @throws NotAStoreException if they are not nodes of one cluster with replicas
   * @throws io.github.stablecut.error.StoreInUseException if a process has one of them open
   */
  public static ReplicaRecovery of(List<Path> directories) {
    return new ReplicaRecovery(directories);
  }

  private NodePlan commonPlan() {
    List<NodePlan> plans = new ArrayList<>();
    for (int i = 0; i < stores.size(); i++) {
      plans.add(stores.get(i).nodePlan().orElseThrow(noReplicas(directories.get(i))));
    }
    if (plans.isEmpty()) {
      throw new NotAStoreException(
          "no directory was named: name the directories of the remaining nodes");
    }
    // A node may not know yet that partitions get replicas: what it has exists only there.
    if (plans.stream().noneMatch(NodePlan::isReplicated)) {
      throw noReplicas(directories.get(0)).get();
    }
    for (int i = 1; i < plans.size(); i++) {
      if (plans.get(i).storeId() != plans.get(0).storeId()) {
        throw new NotAStoreException(
            "%s and %s are nodes of different clusters: name directories of one cluster"
                .formatted(directories.get(0), directories.get(i)));
      }
    }
    return plans.stream().reduce((a, b) -> b.isNewerThan(a) ? b : a).orElseThrow();
  }

  private static Supplier<NotAStoreException> noReplicas(Path directory) {
    return () ->
        new NotAStoreException(
            directory + " is not the directory of a node of a cluster with replicas");
  }

  /**
   * Finds the directories that another node knows to be outdated: the same node has a newer
   * directory, or another node was to replace it, perhaps only temporarily. Their replicas may lack
   * commits that they acknowledged, or other replicas have voted in their place.
   */
  private Set<Path> findOutdated() {
    Set<Path> found = new HashSet<>();
    for (int i = 0; i < stores.size(); i++) {
      NodeOpening own = opening(stores.get(i));
      Path directory = directories.get(i);
      if (plan.hasReplaced(own.replica())) {
        found.add(directory);
        notes.add(
            "%s is ignored: the cluster once agreed to replace node %s by another one"
                .formatted(directory, own.replica()));
        continue;
      }
      stores.stream()
          .flatMap(other -> Stream.concat(other.openings().stream(), Stream.of(opening(other))))
          .filter(known -> isNewer(known, own))
          .findFirst()
          .ifPresent(
              known -> {
                found.add(directory);
                notes.add(
                    "%s is ignored: it is from opening %d of %s, but another node knows of opening %d of %s"
                        .formatted(
                            directory, own.count(), own.replica(), known.count(), known.replica()));
              });
    }
    return found;
  }

  private static NodeOpening opening(ClosedStore store) {
    return new NodeOpening(store.nodePlan().orElseThrow().replica(), store.countOfOpenings(), 0);
  }

  /**
   * Whether the known opening is of a newer directory of the node, or of a later use of this one.
   */
  private static boolean isNewer(NodeOpening known, NodeOpening own) {
    boolean isFirst = Configuration.nodeOf(own.replica()).equals(own.replica());
    boolean isRenewed = isFirst && Configuration.nodeOf(known.replica()).equals(own.replica());
    return known.replica().equals(own.replica()) ? known.count() > own.count() : isRenewed;
  }

  private Partition find(int number) {
    List<FoundReplica> found = new ArrayList<>();
    for (int i = 0; i < stores.size(); i++) {
      ClosedStore store = stores.get(i);
      if (store.foundPartitions().contains(number)) {
        replica(store, directories.get(i), number).ifPresent(found::add);
      }
    }
    found.sort(
        Comparator.comparingLong(FoundReplica::epoch)
            .thenComparingLong(FoundReplica::records)
            .reversed());
    List<String> planned = plan.replicas().get(number);
    boolean isComplete =
        plan.hasChangedNumber() ? areAllPresent(number, found) : isMajorityPresent(planned, found);
    return new Partition(number, planned, found, !isComplete || found.isEmpty());
  }

  /**
   * Whether a majority of the first replicas is present: one of them has every acknowledged commit.
   */
  private boolean isMajorityPresent(List<String> planned, List<FoundReplica> found) {
    long first =
        found.stream()
            .filter(one -> !outdated.contains(one.directory))
            .map(FoundReplica::name)
            .distinct()
            .filter(planned::contains)
            .count();
    return first > planned.size() / 2;
  }

  /**
   * Whether all nodes that may ever have voted are present with their first directories, and their
   * data of the partition is usable. This is required once replicas were reassigned: the new
   * assignment may be incomplete, so that others than the planned replicas vote, and no node here
   * knows which.
   */
  private boolean areAllPresent(int number, List<FoundReplica> found) {
    Set<String> missing = plan.everNamed();
    stores.stream()
        .flatMap(store -> store.openings().stream())
        .forEach(known -> missing.add(Configuration.nodeOf(known.replica())));
    for (int i = 0; i < stores.size(); i++) {
      Path directory = directories.get(i);
      boolean isUsable =
          !stores.get(i).foundPartitions().contains(number)
              || found.stream().anyMatch(one -> one.directory.equals(directory));
      if (isUsable && !outdated.contains(directory)) {
        missing.remove(stores.get(i).nodePlan().orElseThrow().replica());
      }
    }
    return missing.isEmpty();
  }

  private Optional<FoundReplica> replica(ClosedStore store, Path directory, int number) {
    String what = "partition %d in %s is skipped: ".formatted(number, directory);
    if (store.isBeingInstalled(number)) {
      notes.add(what + "it was about to receive a checkpoint from another replica");
      return Optional.empty();
    }
    VerificationFindings findings = new VerificationFindings();
    try {
      ClosedJournal.Summary summary =
          ClosedPartition.of(store, number)
              .readJournal(record -> {}, findings, ToolProgress.NONE, "");
      if (findings.isEmpty()) {
        String name = store.nodePlan().orElseThrow().replica();
        return Optional.of(
            new FoundReplica(directory, name, summary.configurationEpoch(), summary.lastRecord()));
      }
      findings.damages().forEach(damage -> notes.add(what + damage));
    } catch (StablecutException e) {
      notes.add(what + e.getMessage());
    }
    return Optional.empty();
  }

  /** The partitions, with the replicas found. */
  public List<Partition> partitions() {
    return List.copyOf(partitions);
  }

  /**
   * Returns the replicas and records that were ignored or skipped, with reasons; one sentence each.
   */
  public List<String> notes() {
    return List.copyOf(notes);
  }

  /** The partitions without any replica. */
  public List<Integer> missing() {
    return partitions.stream().filter(one -> one.found.isEmpty()).map(Partition::number).toList();
  }

  /**
   * Creates an embedded store from the latest replicas.
   *
   * @param target an empty or new directory
   * @param empty the partitions that start empty, because no replica remains
   * @throws NotAStoreException if other partitions are missing, or the target is not empty; nothing
   *     was changed
   * @throws StoreIoException if files cannot be copied; no store was created
   */
  public void into(Path target, Set<Integer> empty) {
    if (!Set.copyOf(missing()).equals(empty)) {
      throw new NotAStoreException(
          "there is no replica of the partitions %s, but only %s may start empty: name the directory of a node that has one; if all are lost for good, continue without them with --empty %s"
              .formatted(
                  missing(),
                  new TreeSet<>(empty),
                  missing().stream().map(String::valueOf).collect(Collectors.joining(","))));
    }
    try {
      if (Files.exists(target) && !isEmpty(target)) {
        throw new NotAStoreException(target + " is not empty: name another directory");
      }
      try (NewStore store = NewStore.begin(target, this::identity)) {
        long epoch = lastEpochWithoutReplicas();
        for (Partition partition : partitions) {
          if (partition.found.isEmpty()) {
            createEmpty(store.journal(partition.number));
            continue;
          }
          FoundReplica best = partition.found.get(0);
          ClosedStore source = stores.get(directories.indexOf(best.directory));
          copyTree(source.journal(partition.number), store.journal(partition.number));
          copyTree(source.checkpoints(partition.number), store.checkpoints(partition.number));
          epoch = Math.max(epoch, best.epoch);
        }
        // Transactions in doubt refer to epochs of configurations; a later epoch decides them.
        store.startAt(epoch);
        store.complete();
      }
    } catch (IOException e) {
      throw new StoreIoException(
          "no store could be created in %s: %s; fix the cause, and try again"
              .formatted(target, IoReason.of(e)),
          e);
    }
  }

  /**
   * An epoch above those from before the partitions had replicas, excluding those of
   * configurations: the ids of transactions refer to them, too.
   */
  private long lastEpochWithoutReplicas() {
    return stores.stream()
        .map(ReplicaRecovery::opening)
        .mapToLong(NodeOpening::count)
        .reduce(plan.epochsAfter(), Math::max);
  }

  private static void createEmpty(Path journal) throws IOException {
    JournalOptions options = JournalOptions.named("journal of a partition that starts empty");
    Journal.open(
            JournalDirectory.open(journal, options), options, GroupListener.NOBODY, stored -> {})
        .close();
  }

  private StoreIdentity identity(long id) {
    return new StoreIdentity(
        id,
        plan.replicas().size(),
        plan.dataCentre(),
        OptionalLong.of(plan.storeId()),
        plan.routing());
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isEmpty();
    }
  }

  private static void copyTree(Path from, Path to) throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(from)) {
      all = files.sorted().toList();
    }
    TreeSet<Path> folders = new TreeSet<>();
    for (Path file : all) {
      Path target = to.resolve(from.relativize(file).toString());
      if (Files.isDirectory(file)) {
        PrivateFiles.createDirectories(target);
        folders.add(target);
      } else {
        Path copied = Files.copy(file, target);
        try (FileChannel channel = FileChannel.open(copied, StandardOpenOption.WRITE)) {
          channel.force(true);
        }
      }
    }
    for (Path folder : folders) {
      PrivateFiles.forceDirectory(folder);
    }
  }

  @Override
  public void close() {
    stores.forEach(ClosedStore::close);
  }
}
