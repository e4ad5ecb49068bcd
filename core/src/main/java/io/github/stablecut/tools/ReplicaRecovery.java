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
 * What is left of a cluster whose partitions have copies, when too few of its nodes are: of each
 * partition the copy with the latest log becomes a partition of a store of its own, with all that
 * is in it, whether a majority had it or not. Reads the directories of stopped nodes, and changes
 * nothing in them. Confined to one thread.
 */
public final class ReplicaRecovery implements AutoCloseable {
  /**
   * A copy of a partition. Immutable.
   *
   * @param directory of its node
   * @param name its name: that of its node or, of one that began anew, one of its own
   * @param epoch of the end of its log
   * @param records how many its log has had
   */
  public record Found(Path directory, String name, long epoch, long records) {}

  /**
   * A partition. Immutable.
   *
   * @param planned the nodes that are to have copies, or the first ones
   * @param found the copies that can be used, that with the latest log first
   * @param mayLackCommits whether something may be missing that was acknowledged: too few are there
   *     of the copies that had everything from the beginning
   */
  public record Partition(
      int number, List<String> planned, List<Found> found, boolean mayLackCommits) {
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
   * Looks at the directories of stopped nodes, which are locked until this is closed.
   *
   * @throws NotAStoreException if they are not nodes of one cluster with copies
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
      throw new NotAStoreException("no directory was named: name those of the nodes that are left");
    }
    // One may not have heard yet that partitions get copies: what it has exists once.
    if (plans.stream().noneMatch(NodePlan::isReplicated)) {
      throw noReplicas(directories.get(0)).get();
    }
    for (int i = 1; i < plans.size(); i++) {
      if (plans.get(i).storeId() != plans.get(0).storeId()) {
        throw new NotAStoreException(
            "%s and %s are nodes of different clusters: name directories of one"
                .formatted(directories.get(0), directories.get(i)));
      }
    }
    return plans.stream().reduce((a, b) -> b.isNewerThan(a) ? b : a).orElseThrow();
  }

  private static Supplier<NotAStoreException> noReplicas(Path directory) {
    return () ->
        new NotAStoreException(
            directory + " holds no node of a cluster whose partitions have replicas");
  }

  /**
   * The directories of which a node here has known that there is a newer one of the same node, or
   * that another one was to take its place, perhaps only for a time: their copies may lack what
   * they had acknowledged, or others have voted in their places.
   */
  private Set<Path> findOutdated() {
    Set<Path> found = new HashSet<>();
    for (int i = 0; i < stores.size(); i++) {
      NodeOpening own = opening(stores.get(i));
      Path directory = directories.get(i);
      if (plan.hasReplaced(own.replica())) {
        found.add(directory);
        notes.add(
            "%s counts for nothing: it was agreed once that another node takes the place of %s"
                .formatted(directory, own.replica()));
        continue;
      }
      stores.stream()
          .flatMap(other -> Stream.concat(other.openings().stream(), Stream.of(opening(other))))
          .filter(heard -> isNewer(heard, own))
          .findFirst()
          .ifPresent(
              heard -> {
                found.add(directory);
                notes.add(
                    "%s counts for nothing: it is of opening %d of %s, and another node knows of opening %d of %s"
                        .formatted(
                            directory, own.count(), own.replica(), heard.count(), heard.replica()));
              });
    }
    return found;
  }

  private static NodeOpening opening(ClosedStore store) {
    return new NodeOpening(store.nodePlan().orElseThrow().replica(), store.countOfOpenings(), 0);
  }

  /** Whether a node has had a newer directory than its first one. */
  private static boolean isNewer(NodeOpening heard, NodeOpening own) {
    boolean isFirst = Configuration.nodeOf(own.replica()).equals(own.replica());
    boolean isRenewed = isFirst && Configuration.nodeOf(heard.replica()).equals(own.replica());
    return heard.replica().equals(own.replica()) ? heard.count() > own.count() : isRenewed;
  }

  private Partition find(int number) {
    List<Found> found = new ArrayList<>();
    for (int i = 0; i < stores.size(); i++) {
      ClosedStore store = stores.get(i);
      if (store.foundPartitions().contains(number)) {
        replica(store, directories.get(i), number).ifPresent(found::add);
      }
    }
    found.sort(Comparator.comparingLong(Found::epoch).thenComparingLong(Found::records).reversed());
    List<String> planned = plan.replicas().get(number);
    boolean isSure =
        plan.hasChangedNumber() ? areAllThere(number, found) : isMajority(planned, found);
    return new Partition(number, planned, found, !isSure || found.isEmpty());
  }

  /** Whether most of the first copies are there: one of these has what was acknowledged. */
  private boolean isMajority(List<String> planned, List<Found> found) {
    long first =
        found.stream()
            .filter(one -> !outdated.contains(one.directory))
            .map(Found::name)
            .distinct()
            .filter(planned::contains)
            .count();
    return first > planned.size() / 2;
  }

  /**
   * Whether all nodes are there that may ever have voted, with their first directories, and what
   * they have of a partition can be used. Once copies were placed anew that is needed: the order
   * may not be carried out, so that others vote than those that are to, and nobody knows here who.
   */
  private boolean areAllThere(int number, List<Found> found) {
    Set<String> missing = plan.everNamed();
    stores.stream()
        .flatMap(store -> store.openings().stream())
        .forEach(heard -> missing.add(Configuration.nodeOf(heard.replica())));
    for (int i = 0; i < stores.size(); i++) {
      Path directory = directories.get(i);
      boolean isUsable =
          !stores.get(i).foundPartitions().contains(number)
              || found.stream().anyMatch(one -> one.directory.equals(directory));
      if (isUsable && !outdated.contains(directory)) {
        boolean unused = missing.remove(stores.get(i).nodePlan().orElseThrow().replica());
      }
    }
    return missing.isEmpty();
  }

  private Optional<Found> replica(ClosedStore store, Path directory, int number) {
    String what = "partition %d in %s is left out: ".formatted(number, directory);
    if (store.isBeingInstalled(number)) {
      notes.add(what + "it was about to get a checkpoint of another replica");
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
            new Found(directory, name, summary.configurationEpoch(), summary.lastRecord()));
      }
      findings.damages().forEach(damage -> notes.add(what + damage));
    } catch (StablecutException e) {
      notes.add(what + e.getMessage());
    }
    return Optional.empty();
  }

  /** What there is of each partition. */
  public List<Partition> partitions() {
    return List.copyOf(partitions);
  }

  /** What was left out, and why, one sentence each. */
  public List<String> notes() {
    return List.copyOf(notes);
  }

  /** The partitions of which nothing is there. */
  public List<Integer> missing() {
    return partitions.stream().filter(one -> one.found.isEmpty()).map(Partition::number).toList();
  }

  /**
   * Makes a store of its own of the latest copies.
   *
   * @param target empty, or not there yet
   * @param empty the partitions that begin empty, as nothing is left of them
   * @throws NotAStoreException if other partitions are missing, or the target is not empty; nothing
   *     was changed
   * @throws StoreIoException if files can't be copied; there is no store then
   */
  public void into(Path target, Set<Integer> empty) {
    if (!Set.copyOf(missing()).equals(empty)) {
      throw new NotAStoreException(
          "there is no replica of the partitions %s, and %s are to begin empty: name the directory of a node that has one; if all are lost for ever, to go on without them: --empty %s"
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
        long epoch = newestBefore();
        for (Partition partition : partitions) {
          if (partition.found.isEmpty()) {
            begin(store.journal(partition.number));
            continue;
          }
          Found best = partition.found.get(0);
          ClosedStore from = stores.get(directories.indexOf(best.directory));
          replica(from.journal(partition.number), store.journal(partition.number));
          replica(from.checkpoints(partition.number), store.checkpoints(partition.number));
          epoch = Math.max(epoch, best.epoch);
        }
        // Transactions in doubt name epochs of layouts; a later one decides them.
        store.startAt(epoch);
        store.complete();
      }
    } catch (IOException e) {
      throw new StoreIoException(
          "no store could be made in %s: %s; remove the cause, and do it again"
              .formatted(target, IoReason.of(e)),
          e);
    }
  }

  /**
   * Above the epochs of the time before partitions had copies, and without those of layouts: ids of
   * transactions name them, too.
   */
  private long newestBefore() {
    return stores.stream()
        .map(ReplicaRecovery::opening)
        .mapToLong(NodeOpening::count)
        .reduce(plan.epochsAfter(), Math::max);
  }

  private static void begin(Path journal) throws IOException {
    JournalOptions options = JournalOptions.named("journal of a partition that begins anew");
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

  private static void replica(Path from, Path to) throws IOException {
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
        Path unused = Files.copy(file, target);
        try (FileChannel channel = FileChannel.open(target, StandardOpenOption.WRITE)) {
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
