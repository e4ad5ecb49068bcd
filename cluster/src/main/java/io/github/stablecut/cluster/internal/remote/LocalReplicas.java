package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.internal.membership.Admission;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;

/**
 * The replicas of partitions on this node. A partition is served here while its replica leads.
 * Thread-safe.
 */
final class LocalReplicas {
  /** Serves the partitions that this node leads. */
  interface PartitionService {
    /** Returns the context of a partition in an epoch. */
    PartitionContext context(long epoch);

    /** Serves a partition in an epoch. */
    void serve(Partition partition, long epoch);

    /** The set of partitions that are served here has changed. */
    void changed();

    /** Ends moves of partitions; false if one is in progress. */
    boolean endMoves();

    /** Runs an opening unless the node is shutting down; a shutdown waits for it. */
    void open(Runnable opening);

    /** Ends an unreplicated partition. */
    void end(OpenPartition served);
  }

  /**
   * The interval of checks for surplus replicas or a surplus part of the configuration register.
   */
  private static final long LOOK_NANOS = 3_000_000_000L;

  private static final Logger LOG = Log.of(LocalReplicas.class);

  private final NodeSettings settings;
  private final NodeDirectory directory;
  private final RequestServer server;
  private final PartitionService serving;
  private volatile Optional<NodeReplicas> open = Optional.empty();
  private volatile Optional<ReplicaConversion> first = Optional.empty();
  private volatile boolean isLooking;

  /** Whether the directory's plan is newer than the plan by which replicas were last placed. */
  private volatile boolean isToPlace;

  @GuardedBy("this")
  private boolean hasToldOfPlacing;

  private volatile Optional<PendingRequests> requests = Optional.empty();
  private volatile Optional<MembershipView> view = Optional.empty();

  @GuardedBy("this")
  private boolean hasWarned;

  @GuardedBy("this")
  private boolean mayHaveBegun;

  @GuardedBy("this")
  private Optional<ReplicaPlacement> placed = Optional.empty();

  /** Confined to the node's actor. */
  private long lookedAtNanos = System.nanoTime() - LOOK_NANOS;

  LocalReplicas(
      NodeSettings settings,
      NodeDirectory directory,
      RequestServer server,
      PartitionService serving) {
    this.settings = settings;
    this.directory = directory;
    this.server = server;
    this.serving = serving;
  }

  /**
   * Returns the replicas; empty if partitions are unreplicated, or before the replicas are open.
   */
  Optional<NodeReplicas> all() {
    return open;
  }

  /**
   * Returns the plan on which the nodes have agreed, as far as this node's part of the
   * configuration register knows, if it is newer than the directory's plan. The node that executed
   * the command may not have notified any other node.
   */
  Optional<NodePlan> agreed() {
    return directory
        .plan()
        .flatMap(
            own ->
                open.map(all -> own.with(all.knownChanges(own)))
                    .filter(newest -> newest.isNewerThan(own)));
  }

  /**
   * Performs periodic work. Never waits.
   *
   * @param files executes tasks that change the directory
   */
  void tick(Executor files) {
    long nowNanos = System.nanoTime();
    boolean isBeginning = first.filter(one -> !one.isDone()).isPresent();
    if (isLooking || (open.isEmpty() && !isBeginning)) {
      return;
    }
    if (!isBeginning && nowNanos - lookedAtNanos < LOOK_NANOS) {
      return;
    }
    lookedAtNanos = nowNanos;
    isLooking = true;
    try {
      files.execute(this::look);
    } catch (RejectedExecutionException e) {
      // The node is being closed: the next start checks again.
      isLooking = false;
    }
  }

  private void look() {
    try {
      lookAtFiles();
      // A transfer of leadership waits for other nodes.
      open.ifPresent(NodeReplicas::balance);
    } finally {
      isLooking = false;
    }
  }

  private synchronized void lookAtFiles() {
    convertUnreplicated();
    if (isToPlace) {
      serving.open(this::tryToPlace);
    }
    open.ifPresent(this::look);
  }

  private void look(NodeReplicas all) {
    all.register().reconcileKeepers();
    if (!all.surplus().isEmpty()) {
      placed(all).removeSurplus();
    }
  }

  private synchronized ReplicaPlacement placed(NodeReplicas all) {
    ReplicaPlacement known = placed.orElseGet(() -> new ReplicaPlacement(directory, all));
    placed = Optional.of(known);
    return known;
  }

  /** Retries failed work for a plan at once, as an operator asks for it. */
  synchronized void retry() {
    placed.ifPresent(ReplicaPlacement::retry);
  }

  /** Sets where requests are sent, and the view that learns whether partitions are replicated. */
  void connect(PendingRequests pendingRequests, MembershipView newView) {
    requests = Optional.of(pendingRequests);
    view = Optional.of(newView);
  }

  /**
   * Begins to convert the unreplicated partitions to replicas, if a newer plan introduces a
   * configuration register. They are served meanwhile, and become replicas one after another.
   *
   * @return whether the change is recorded, or need not be; if not, the caller retries
   */
  synchronized boolean begin(NodePlan newer) {
    NodePlan own = directory.plan().orElseThrow();
    if (own.isReplicated() || !newer.isReplicated()) {
      return true;
    }
    Optional<String> refusal = ReplicaConversion.refusal(settings.store());
    if (refusal.isPresent()) {
      warnOnce(refusal.get());
      return false;
    }
    NodePlan firstPlan = own.with(newer.changes().subList(0, 1));
    ReplicaConversion beginning = new ReplicaConversion(directory, server, serving);
    if (!serving.endMoves()) {
      return false;
    }
    // Does not begin once the node shuts down, for example because its directory is outdated.
    serving.open(() -> first = Optional.of(beginning).filter(one -> one.begin(firstPlan)));
    if (first.isEmpty()) {
      mayHaveBegun |= beginning.mayHaveBegun();
      return false;
    }
    view.orElseThrow().recordPlan(true);
    serving.changed();
    openRegister();
    return true;
  }

  /**
   * Returns whether {@link #begin} has failed and left the state on disk unknown. The next start
   * may find replicas there, so moves must not resume before it.
   */
  synchronized boolean mayHaveBegun() {
    return mayHaveBegun;
  }

  private synchronized void warnOnce(String refusal) {
    if (!hasWarned) {
      LOG.error("{}", refusal);
    }
    hasWarned = true;
  }

  /** Starts this node's part of the configuration register; false if that fails for now. */
  @CanIgnoreReturnValue
  private boolean openRegister() {
    try {
      if (open.isEmpty()) {
        NodeReplicas.Node node = node(directory.plan().orElseThrow());
        serving.open(() -> open = Optional.of(NodeReplicas.begin(node)));
      }
      return open.isPresent();
    } catch (RuntimeException e) {
      LOG.error("can't open this node's part of the configuration register; retrying", e);
      return false;
    }
  }

  /**
   * Converts the partitions that are still served unreplicated, if there are to be replicas.
   *
   * @return whether none is left
   */
  @CanIgnoreReturnValue
  private boolean convertUnreplicated() {
    first.filter(one -> !one.isDone() && openRegister()).ifPresent(this::handOver);
    return first.filter(one -> !one.isDone()).isEmpty();
  }

  private void handOver(ReplicaConversion beginning) {
    open.ifPresent(beginning::handOver);
  }

  private NodeReplicas.Node node(NodePlan plan) {
    return new NodeReplicas.Node(
        plan, directory, settings.store(), requests.orElseThrow(), new LedPartitions());
  }

  /**
   * Converts the partitions that are still unreplicated, creates the directories of the replicas
   * that a newer plan gives this node, writes the plan, and places replicas accordingly. Meanwhile,
   * no surplus replica that the new plan restores is deleted. Waits for the configuration register.
   *
   * @param plan writes the plan; false if that fails
   * @return whether the change is complete; if not, the caller retries
   */
  synchronized boolean change(NodePlan newer, BooleanSupplier plan) {
    boolean isPrepared =
        convertUnreplicated()
            && open.map(all -> placed(all).prepare(newer)).orElse(!newer.isReplicated());
    if (!isPrepared || !plan.getAsBoolean()) {
      return false;
    }
    isToPlace = true;
    serving.open(this::tryToPlace);
    return true;
  }

  /** Places replicas as the directory's newer plan says; repeated if it fails. */
  private synchronized void tryToPlace() {
    try {
      if (open.isPresent()) {
        open.get().place(directory.plan().orElseThrow());
      }
      isToPlace = false;
      hasToldOfPlacing = false;
    } catch (IOException | StablecutException e) {
      if (!hasToldOfPlacing) {
        LOG.error(
            "node {} can't open its new replicas or its part of the configuration register;"
                + " retrying: {}",
            settings.name(),
            e.toString());
      }
      hasToldOfPlacing = true;
    }
  }

  /**
   * Opens the replicas, which take part at once.
   *
   * @throws JoinRefusedException if another node has taken this one's place
   */
  void open(NodePlan plan) throws IOException {
    view.orElseThrow().recordPlan(true);
    if (plan.gone().contains(settings.name()) && !directory.numbers().isEmpty()) {
      throw new JoinRefusedException(Admission.replacedRefusal(settings.name()));
    }
    ReplicaConversion.refusal(settings.store())
        .ifPresent(
            why -> {
              throw new SettingsException(why);
            });
    open = Optional.of(NodeReplicas.open(node(plan)));
  }

  /**
   * Returns the current configuration of a partition. Waits for the configuration register.
   *
   * @throws PartitionUnavailableException if the register does not answer
   */
  Configuration configuration(int number) {
    try {
      return ReplicaPlacement.await(opened().register().read(number));
    } catch (ExecutionException | TimeoutException e) {
      throw new PartitionUnavailableException(
          "the configuration register does not answer: it needs a majority of its nodes (%s)"
              .formatted(PlanCommands.words(e)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PartitionUnavailableException("interrupted: try again");
    }
  }

  private NodeReplicas opened() {
    return open.orElseThrow(
        () ->
            new PartitionUnavailableException("this node is opening its replicas: try again soon"));
  }

  /**
   * Creates an empty partition with a replica that enters itself in the configuration register,
   * unless another replica already has.
   *
   * @param at above all epochs that the partition had
   */
  synchronized void beginAnew(int number, long at) throws IOException {
    NodeReplicas all = opened();
    // A move may have left files, which are older than the lost partition.
    directory.moved().delete(number);
    if (!directory.numbers().contains(number)) {
      directory.createFirst(number, at, directory.plan().orElseThrow().epochsAfter());
    }
    serving.open(
        () -> {
          if (all.find(number).isEmpty()) {
            all.open(number);
          }
        });
  }

  private final class LedPartitions implements NodeReplicas.LeadershipListener {
    @Override
    public PartitionContext context(long epoch) {
      return serving.context(epoch);
    }

    @Override
    public void begins(Partition partition, long epoch) {
      serving.serve(partition, epoch);
      serving.changed();
    }

    @Override
    public boolean serves(int partition) {
      return server.find(partition).isPresent();
    }

    @Override
    public void drains(int partition, Duration atMost) {
      server.find(partition).ifPresent(served -> served.endLeading(atMost));
    }

    @Override
    public void ends(Partition led) {
      server
          .find(led.number())
          .filter(served -> served.partition() == led)
          .ifPresent(
              served -> {
                server.fence(served);
                server.remove(served);
              });
      serving.changed();
    }
  }
}
