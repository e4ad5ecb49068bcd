package io.github.stablecut.internal.recovery;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.LocalDataCentre;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cluster node's own knowledge of its cluster: the content of the text file {@link
 * NodeDirectory#NODE}, as {@link NodePlanFormat} writes it. Immutable.
 *
 * <p>The directories of the partitions show which ones a node owns now; {@code owners} has the
 * initial owners, by partition. So a node detects lost partitions once all have been created.
 *
 * @param storeId the store that the cluster serves
 * @param dataCentre the data centre that the cluster is: its own entry in vectors
 * @param routing the seed of the routing: the store's id or, for a cluster that joined other data
 *     centres, theirs
 * @param name the name of the node
 * @param owners the names of the nodes that created the partitions, by partition
 * @param isFormed whether all partitions have been open
 * @param replicas the nodes with the initial replicas of each partition, by partition, in the order
 *     of preference as leaders; empty without replicas
 * @param renewed the name of the node's replicas if it differs from the node's, because earlier
 *     replicas of that name may be lost; otherwise empty
 * @param keepers the nodes that keep the configuration register; empty if these are the first
 *     nodes, as many as a partition has replicas
 * @param changes the changes that the nodes agreed on since the plan was created, and that are
 *     applied here, in order; a plan with more changes is newer
 */
public record NodePlan(
    long storeId,
    LocalDataCentre dataCentre,
    long routing,
    String name,
    List<String> owners,
    boolean isFormed,
    List<List<String>> replicas,
    String renewed,
    List<String> keepers,
    List<PlanChange> changes) {
  /** The pattern of node names. */
  public static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  /** The possible numbers of replicas of a partition. */
  private static final List<Integer> REPLICA_COUNTS = List.of(1, 3, 5);

  /** For a cluster that is the first data centre. */
  public NodePlan(long storeId, String name, List<String> owners, boolean isFormed) {
    this(
        storeId,
        LocalDataCentre.FIRST,
        storeId,
        name,
        owners,
        isFormed,
        List.of(),
        "",
        List.of(),
        List.of());
  }

  /**
   * Starts the plan of a cluster that is the first data centre, with partitions that have no
   * replicas and are not all open yet.
   */
  public static Builder builder(long storeId, String name, List<String> owners) {
    return new Builder(storeId, name, owners);
  }

  /** A builder with the components of this plan. */
  private Builder toBuilder() {
    return new Builder(storeId, name, owners)
        .dataCentre(dataCentre)
        .routing(routing)
        .isFormed(isFormed)
        .replicas(replicas)
        .renewed(renewed)
        .keepers(keepers)
        .changes(changes);
  }

  /** Copies the lists, and checks names and numbers. */
  public NodePlan {
    owners = List.copyOf(owners);
    replicas = replicas.stream().map(List::copyOf).toList();
    keepers = List.copyOf(keepers);
    changes = List.copyOf(changes);
    checkName(name);
    owners.forEach(NodePlan::checkName);
    if (owners.isEmpty()) {
      throw new IllegalArgumentException("a cluster has at least one partition");
    }
    if (!replicas.isEmpty() && replicas.size() != owners.size()) {
      throw new IllegalArgumentException(
          "replicas of %d partitions, but there are %d".formatted(replicas.size(), owners.size()));
    }
    keepers.forEach(NodePlan::checkName);
    for (List<String> nodes : replicas) {
      nodes.forEach(NodePlan::checkName);
      if (!isReplicaCount(nodes.size()) || new TreeSet<>(nodes).size() != nodes.size()) {
        throw new IllegalArgumentException("replicas of a partition on the nodes " + nodes);
      }
    }
  }

  /** Whether a partition can have this many replicas; of an even number, one would be useless. */
  public static boolean isReplicaCount(int number) {
    return REPLICA_COUNTS.contains(number);
  }

  /** Whether partitions have replicas. */
  public boolean isReplicated() {
    return !replicas.isEmpty();
  }

  /** All nodes named by the plan, each once, in its order. */
  public List<String> nodes() {
    return Stream.of(owners.stream(), replicas.stream().flatMap(List::stream), keepers.stream())
        .flatMap(names -> names)
        .distinct()
        .toList();
  }

  /** The nodes that keep the configuration register. */
  public List<String> registerNodes() {
    return keepers.isEmpty() && isReplicated() ? nodes().subList(0, replicationFactor()) : keepers;
  }

  /**
   * The initial nodes of the configuration register; empty if the nodes have agreed on a change
   * since, after which others may keep it.
   */
  public List<String> firstRegisterNodes() {
    return changes.size() == register().stream().count() ? registerNodes() : List.of();
  }

  /** The number of replicas of each partition. */
  public int replicationFactor() {
    return isReplicated() ? replicas.get(0).size() : 1;
  }

  private static void checkName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a node's name is 1 to 63 letters, digits, dots, hyphens and underscores, not \""
              + name
              + "\"");
    }
  }

  /**
   * Creates the plan of a new cluster, which assigns partitions round-robin.
   *
   * @param name the name of the node that creates the plan
   * @param nodes at least as many as replicas
   * @param partitions the number of partitions; 0 for two per node, at least 8
   * @param replicas the number of replicas of each partition
   */
  public static NodePlan spread(
      long storeId, String name, List<String> nodes, int partitions, int replicas) {
    return spread(storeId, name, nodes, partitions, replicas, Zones.NONE);
  }

  /**
   * Like {@link #spread(long, String, List, int, int)}, with the replicas of each partition in as
   * many zones as possible.
   */
  public static NodePlan spread(
      long storeId, String name, List<String> all, int partitions, int replicas, Zones zones) {
    List<String> nodes = zones.more(List.of(), all, all.size());
    int count = partitions == 0 ? Math.max(8, 2 * nodes.size()) : partitions;
    List<String> owners = new ArrayList<>();
    List<List<String>> spread = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      int first = number;
      owners.add(nodes.get(number % nodes.size()));
      spread.add(
          IntStream.range(0, replicas)
              .mapToObj(next -> nodes.get((first + next) % nodes.size()))
              .toList());
    }
    Builder plan = builder(storeId, name, owners);
    if (replicas > 1) {
      plan.replicas(zones.areNone() ? spread : ReplicaSpread.over(spread, nodes, replicas, zones));
      plan.keepers(zones.areNone() ? List.of() : nodes.subList(0, replicas));
    }
    return plan.build();
  }

  /**
   * The plan of a cluster that begins as one node with all partitions, after joining other data
   * centres or a restore.
   *
   * @param isReplicated whether partitions can get more replicas
   */
  static NodePlan alone(StoreIdentity store, String node, boolean isReplicated) {
    int partitions = store.partitions();
    return builder(store.id(), node, Collections.nCopies(partitions, node))
        .dataCentre(store.dataCentre())
        .routing(store.routing())
        .isFormed(true)
        .replicas(isReplicated ? Collections.nCopies(partitions, List.of(node)) : List.of())
        .build();
  }

  /** The initial partitions of a node, or those of which it has a replica. */
  public Set<Integer> assignedTo(String node) {
    Set<Integer> numbers = new TreeSet<>();
    for (int number = 0; number < owners.size(); number++) {
      if (isReplicated() ? replicas.get(number).contains(node) : owners.get(number).equals(node)) {
        numbers.add(number);
      }
    }
    return numbers;
  }

  /**
   * The initial partitions of a node. If the cluster's partitions got replicas later, the
   * partitions that the node was known to have then.
   */
  public Set<Integer> owned(String node) {
    List<String> nodes = register().map(PlanChange.Register::owners).orElse(owners);
    return IntStream.range(0, nodes.size())
        .filter(number -> nodes.get(number).equals(node))
        .boxed()
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The same plan, for another node. */
  public NodePlan of(String node) {
    return toBuilder().name(node).renewed("").build();
  }

  /** The same plan, of a cluster whose partitions have all been open. */
  public NodePlan formed() {
    return toBuilder().isFormed(true).build();
  }

  /** The same plan, of a node whose replicas have another name than the node. */
  public NodePlan renewed(String replica) {
    return toBuilder().renewed(replica).build();
  }

  /**
   * The same plan, with another node in the place of one that is lost for good.
   *
   * @param lost one of {@link #nodes}
   * @param by none of them
   */
  public NodePlan replacing(String lost, String by) {
    if (!nodes().contains(lost) || nodes().contains(by)) {
      throw new IllegalArgumentException(
          "%s can't replace %s among %s".formatted(by, lost, nodes()));
    }
    UnaryOperator<String> renamed = node -> node.equals(lost) ? by : node;
    UnaryOperator<List<String>> all = names -> names.stream().map(renamed).toList();
    return toBuilder()
        .owners(all.apply(owners))
        .replicas(replicas.stream().map(all).toList())
        .keepers(all.apply(keepers))
        .changes(and(new PlanChange.Replacement(lost, by)))
        .build();
  }

  /**
   * The same plan with another number of replicas of each partition, on these nodes, and at least
   * as many nodes that keep the register. Eligible nodes that keep it continue to.
   *
   * @param number 1, 3 or 5
   * @param among the eligible nodes; at least as many
   */
  public NodePlan withReplicas(int number, List<String> among) {
    return withReplicas(number, among, Zones.NONE);
  }

  /**
   * Like {@link #withReplicas(int, List)}, with the replicas of each partition, and the nodes that
   * keep the register, in as many zones as possible.
   */
  public NodePlan withReplicas(int number, List<String> among, Zones zones) {
    if (!isReplicated() || among.size() < number) {
      throw new IllegalArgumentException(
          "no %d replicas are possible on %s for a plan of %s".formatted(number, among, nodes()));
    }
    List<List<String>> spread = ReplicaSpread.over(replicas, among, number, zones);
    return toBuilder()
        .owners(spread.stream().map(nodes -> nodes.get(0)).toList())
        .replicas(spread)
        .keepers(keepers(number, among, zones))
        .changes(and(new PlanChange.ReplicaCount(number, among, zones)))
        .build();
  }

  /**
   * The same plan, of a cluster without replicas, with a configuration register: each partition
   * then has one replica, where it is.
   */
  public NodePlan withRegister(PlanChange.Register first) {
    if (isReplicated() || first.owners().size() != owners.size()) {
      throw new IllegalArgumentException(
          "no register for the owners %s of the partitions of %s".formatted(first.owners(), this));
    }
    return toBuilder()
        .owners(first.owners())
        .replicas(first.owners().stream().map(List::of).toList())
        .keepers(first.keepers())
        .changes(and(first))
        .build();
  }

  /**
   * The epoch after which configuration epochs begin: 0, or above the epochs of a cluster that was
   * formed without replicas.
   */
  public long epochsAfter() {
    return register().map(PlanChange.Register::after).orElse(0L);
  }

  private Optional<PlanChange.Register> register() {
    return changes.stream()
        .limit(1)
        .filter(PlanChange.Register.class::isInstance)
        .map(PlanChange.Register.class::cast)
        .findFirst();
  }

  /** The eligible nodes that keep the register now, and replacements for others: an odd number. */
  private List<String> keepers(int number, List<String> among, Zones zones) {
    List<String> before = registerNodes();
    List<String> stay = before.stream().filter(among::contains).toList();
    int most = Math.min(Math.max(number, before.size()), among.size());
    return zones.more(stay, among, most % 2 == 0 ? most - 1 : most);
  }

  private List<PlanChange> and(PlanChange last) {
    return Stream.concat(changes.stream(), Stream.of(last)).toList();
  }

  /**
   * The same plan with the changes that it lacks.
   *
   * @param agreed the changes that the nodes agreed on, in order
   */
  public NodePlan with(List<PlanChange> agreed) {
    NodePlan newest = this;
    for (PlanChange change :
        agreed.subList(Math.min(changes.size(), agreed.size()), agreed.size())) {
      newest = change.applyTo(newest);
    }
    return newest;
  }

  private Stream<PlanChange.Replacement> replacements() {
    return changes.stream()
        .flatMap(
            one ->
                one instanceof PlanChange.Replacement replacement
                    ? Stream.of(replacement)
                    : Stream.empty());
  }

  /** The nodes that were replaced by others. */
  public Set<String> gone() {
    Set<String> lost = new TreeSet<>();
    replacements().forEach(one -> lost.add(one.lost()));
    nodes().forEach(lost::remove);
    return lost;
  }

  /** Whether a node was ever replaced, even if that was reverted since. */
  public boolean hasReplaced(String node) {
    return replacements().anyMatch(one -> one.lost().equals(node));
  }

  /** Whether the number of replicas ever changed. */
  public boolean hasChangedNumber() {
    return replacements().count() < changes.size();
  }

  /** The nodes named by the plan or by its changes. */
  public Set<String> everNamed() {
    Set<String> named = new TreeSet<>(nodes());
    changes.forEach(change -> named.addAll(change.nodes()));
    return named;
  }

  /** The zones of nodes at the last agreed change of replicas. */
  public Zones zones() {
    Zones known = Zones.NONE;
    for (PlanChange change : changes) {
      known = change instanceof PlanChange.ReplicaCount replicas ? replicas.zones() : known;
    }
    return known;
  }

  /** Whether it has changes that another plan of the cluster lacks. */
  public boolean isNewerThan(NodePlan other) {
    return changes.size() > other.changes.size();
  }

  /** This plan, updated with a newer one of another node. */
  public NodePlan updatedBy(NodePlan newer) {
    return toBuilder()
        .owners(newer.owners)
        .isFormed(isFormed || newer.isFormed)
        .replicas(newer.replicas)
        .keepers(newer.keepers)
        .changes(newer.changes)
        .build();
  }

  /** The node that replaced a node after an earlier plan; empty if none did. */
  public Optional<String> replacedSince(NodePlan earlier, String node) {
    return replacements()
        .skip(earlier.replacements().count())
        .filter(one -> one.lost().equals(node))
        .map(PlanChange.Replacement::by)
        .findFirst();
  }

  /** The name of this node's replicas. */
  public String replica() {
    return renewed.isEmpty() ? name : renewed;
  }

  /**
   * Builds a {@link NodePlan}. Its methods set the components of the same names; without them,
   * texts and lists are empty, and flags are false. Not thread-safe.
   */
  public static final class Builder {
    private final long storeId;
    private LocalDataCentre dataCentre = LocalDataCentre.FIRST;
    private long routing;
    private String name;
    private List<String> owners;
    private boolean isFormed;
    private List<List<String>> replicas = List.of();
    private String renewed = "";
    private List<String> keepers = List.of();
    private List<PlanChange> changes = List.of();

    private Builder(long storeId, String name, List<String> owners) {
      this.storeId = storeId;
      this.routing = storeId;
      this.name = name;
      this.owners = owners;
    }

    @CanIgnoreReturnValue
    public Builder dataCentre(LocalDataCentre dataCentre) {
      this.dataCentre = dataCentre;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder routing(long routing) {
      this.routing = routing;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder name(String name) {
      this.name = name;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder owners(List<String> owners) {
      this.owners = owners;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder isFormed(boolean isFormed) {
      this.isFormed = isFormed;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder replicas(List<List<String>> replicas) {
      this.replicas = replicas;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder renewed(String renewed) {
      this.renewed = renewed;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder keepers(List<String> keepers) {
      this.keepers = keepers;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder changes(List<PlanChange> changes) {
      this.changes = changes;
      return this;
    }

    /** Builds the plan. */
    public NodePlan build() {
      return new NodePlan(
          storeId,
          dataCentre,
          routing,
          name,
          owners,
          isFormed,
          replicas,
          renewed,
          keepers,
          changes);
    }
  }
}
