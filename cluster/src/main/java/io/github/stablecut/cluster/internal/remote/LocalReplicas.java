package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.internal.membership.Admission;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionContext;
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

/** The copies of partitions on this node, which are served while they lead. Thread-safe. */
final class LocalReplicas {
  /** Serves what is led here. */
  interface Serving {
    /** What a partition needs in an epoch. */
    PartitionContext context(long epoch);

    /** Serves a partition in an epoch. */
    void serve(Partition partition, long epoch);

    /** It is known what is served here. */
    void changed();

    /** Ends moves of partitions; false if one is under way. */
    boolean endMoves();

    /** Opens something, unless the node ends, which waits for that. */
    void open(Runnable opening);

    /** Ends a partition that exists once. */
    void end(OpenPartition served);
  }

  /** So often it is looked whether a copy, or a part of the register, is too many. */
  private static final long LOOK_NANOS = 3_000_000_000L;

  private static final Logger LOG = Log.of(LocalReplicas.class);

  private final NodeSettings settings;
  private final NodeDirectory directory;
  private final RequestServer server;
  private final Serving serving;
  private volatile Optional<NodeReplicas> open = Optional.empty();
  private volatile Optional<ReplicaConversion> first = Optional.empty();
  private volatile boolean isLooking;

  /** Whether the directory's plan is a newer one than that by which copies were placed last. */
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
  private long lookedAt = System.nanoTime() - LOOK_NANOS;

  LocalReplicas(
      NodeSettings settings, NodeDirectory directory, RequestServer server, Serving serving) {
    this.settings = settings;
    this.directory = directory;
    this.server = server;
    this.serving = serving;
  }

  /** The copies; empty if each partition exists once, or before they are open. */
  Optional<NodeReplicas> all() {
    return open;
  }

  /**
   * The plan on which the nodes have agreed, as far as this node's part of the register knows, if
   * it is newer than that of the directory: who gave the order may have told nobody.
   */
  Optional<NodePlan> agreed() {
    return directory
        .plan()
        .flatMap(
            own ->
                open.map(all -> own.with(all.register().known(own.changes())))
                    .filter(newest -> newest.isNewerThan(own)));
  }

  /**
   * Time has passed. Never waits.
   *
   * @param files executes what changes the directory
   */
  void tick(Executor files) {
    long now = System.nanoTime();
    boolean isBeginning = first.filter(one -> !one.isDone()).isPresent();
    if (isLooking || (open.isEmpty() && !isBeginning)) {
      return;
    }
    if (!isBeginning && now - lookedAt < LOOK_NANOS) {
      return;
    }
    lookedAt = now;
    isLooking = true;
    try {
      files.execute(this::look);
    } catch (RejectedExecutionException e) {
      // The node is being closed: the next start looks again.
      isLooking = false;
    }
  }

  private synchronized void look() {
    try {
      boolean unused = isHandedOver();
      if (isToPlace) {
        serving.open(this::tryToPlace);
      }
      open.ifPresent(this::look);
    } finally {
      isLooking = false;
    }
  }

  private void look(NodeReplicas all) {
    all.register().look();
    if (!all.surplus().isEmpty()) {
      placed(all).removeSurplus();
    }
  }

  private synchronized ReplicaPlacement placed(NodeReplicas all) {
    ReplicaPlacement known = placed.orElseGet(() -> new ReplicaPlacement(directory, all));
    placed = Optional.of(known);
    return known;
  }

  /** What has failed for a plan is tried again at once, as an operator asks for it. */
  synchronized void retry() {
    placed.ifPresent(ReplicaPlacement::retry);
  }

  /** Sets whom to ask, and who is told whether partitions have copies. */
  void connect(PendingRequests asked, MembershipView told) {
    requests = Optional.of(asked);
    view = Optional.of(told);
  }

  /**
   * Begins to make copies of the partitions, which exist once, if a newer plan says that a register
   * tells who leads them. They are served meanwhile, and later one after the other as copies.
   *
   * @return whether that is written down, or need not be; if not, the caller calls again
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
    NodePlan begun = own.with(newer.changes().subList(0, 1));
    ReplicaConversion beginning = new ReplicaConversion(directory, server, serving);
    if (!serving.endMoves()) {
      return false;
    }
    // Not once the node ends, as one does whose directory is an older one.
    serving.open(() -> first = Optional.of(beginning).filter(one -> one.begin(begun)));
    if (first.isEmpty()) {
      mayHaveBegun |= beginning.mayHaveBegun();
      return false;
    }
    view.orElseThrow().planned(true);
    serving.changed();
    boolean unused = openRegister();
    return true;
  }

  /**
   * Whether {@link #begin} has failed so that nobody knows what is on disk: the next start may find
   * there that there are copies, so moves must not go on before.
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

  /** Starts this node's part of the register; false if that can't be now. */
  private boolean openRegister() {
    try {
      if (open.isEmpty()) {
        NodeReplicas.Node node = node(directory.plan().orElseThrow());
        serving.open(() -> open = Optional.of(NodeReplicas.begin(node)));
      }
      return open.isPresent();
    } catch (RuntimeException e) {
      LOG.error("this node's part of the register can't be opened, which is tried again", e);
      return false;
    }
  }

  /**
   * Whether no partition is served any more as one that exists once, if there are to be copies.
   * Makes copies of those that are.
   */
  private boolean isHandedOver() {
    first.filter(one -> !one.isDone() && openRegister()).ifPresent(this::handOver);
    return first.filter(one -> !one.isDone()).isEmpty();
  }

  private void handOver(ReplicaConversion beginning) {
    open.ifPresent(beginning::handOver);
  }

  private NodeReplicas.Node node(NodePlan plan) {
    return new NodeReplicas.Node(
        plan, directory, settings.store(), requests.orElseThrow(), new Leading());
  }

  /**
   * Makes copies of the partitions that still exist once, then the directories of the copies that a
   * newer plan gives this node, writes the plan, and places copies as it says. Nothing is deleted
   * meanwhile as too many that the new plan gives back. Waits for the register.
   *
   * @param plan writes it; false if that can't be done
   * @return whether that is done; if not, the caller calls again
   */
  synchronized boolean change(NodePlan newer, BooleanSupplier plan) {
    boolean isPrepared =
        isHandedOver() && open.map(all -> placed(all).prepare(newer)).orElse(!newer.isReplicated());
    if (!isPrepared || !plan.getAsBoolean()) {
      return false;
    }
    isToPlace = true;
    serving.open(this::tryToPlace);
    return true;
  }

  /** Places copies as the plan in the directory says, which is a newer one; if need be, again. */
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
            "node {} can't open the replicas that it has got, or its part of the register, which is"
                + " tried again: {}",
            settings.name(),
            e.toString());
      }
      hasToldOfPlacing = true;
    }
  }

  /**
   * Opens them. They take part at once.
   *
   * @throws JoinRefusedException if another node has taken this one's place
   */
  void open(NodePlan plan) throws IOException {
    view.orElseThrow().planned(true);
    if (plan.gone().contains(settings.name()) && !directory.numbers().isEmpty()) {
      throw new JoinRefusedException(Admission.replaced(settings.name()));
    }
    ReplicaConversion.refusal(settings.store())
        .ifPresent(
            why -> {
              throw new SettingsException(why);
            });
    open = Optional.of(NodeReplicas.open(node(plan)));
  }

  /**
   * The layout of a partition now. Waits for the register.
   *
   * @throws PartitionUnavailableException if it does not answer
   */
  Configuration configuration(int number) {
    try {
      return ReplicaPlacement.await(opened().register().read(number));
    } catch (ExecutionException | TimeoutException e) {
      throw new PartitionUnavailableException(
          "the configuration register does not answer: a majority of the nodes that keep it has to be there (%s)"
              .formatted(PlanCommands.words(e)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PartitionUnavailableException("it was interrupted: do it again");
    }
  }

  private NodeReplicas opened() {
    return open.orElseThrow(
        () -> new PartitionUnavailableException("this node opens its replicas: try again soon"));
  }

  /**
   * Makes an empty partition, and a copy of it that enters itself in the register, if nobody else
   * has.
   *
   * @param at above all epochs that the partition had
   */
  synchronized void beginAnew(int number, long at) throws IOException {
    NodeReplicas all = opened();
    // What a move has left, which is older than the partition that is lost.
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

  private final class Leading implements NodeReplicas.Leading {
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
