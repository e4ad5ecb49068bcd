package io.github.stablecut.cluster.internal.node;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.NodeLeftException;
import io.github.stablecut.cluster.PartitionPlace;
import io.github.stablecut.cluster.internal.akka.AkkaNode;
import io.github.stablecut.cluster.internal.akka.NodeHost;
import io.github.stablecut.cluster.internal.handoff.HandoffReceiver;
import io.github.stablecut.cluster.internal.handoff.HandoffSender;
import io.github.stablecut.cluster.internal.handoff.MoveCommands;
import io.github.stablecut.cluster.internal.membership.Admission;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeFacts;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.membership.SeedAddresses;
import io.github.stablecut.cluster.internal.remote.Inbound;
import io.github.stablecut.cluster.internal.remote.NodeFaults;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.NodeThreads;
import io.github.stablecut.cluster.internal.remote.OutboundFragments;
import io.github.stablecut.cluster.internal.remote.OutboundRequests;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.remote.ReplySender;
import io.github.stablecut.cluster.internal.remote.RequestGate;
import io.github.stablecut.cluster.internal.remote.TrafficBudgets;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node of a cluster in this process. Thread-safe. */
public final class NodeRuntime implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeRuntime.class);

  /** A node that leaves waits so long for the others, which may be gone. */
  private static final Duration LEAVE_PATIENCE = Duration.ofSeconds(8);

  /** What operators were warned of counts for so long, unless it is said again. */
  private static final Duration WARNING = Duration.ofSeconds(30);

  /** Operators are warned if the cluster's clock is so far ahead of the machine's. */
  private static final Duration FAR_AHEAD = Duration.ofSeconds(30);

  private final NodeSettings settings;
  private final NodeClock clock;
  private final MembershipView view = new MembershipView();
  private final NodeThreads threads;
  private final NodePartitions partitions;
  private final OutboundFragments outbox = new OutboundFragments(System::nanoTime);
  private final OutboundRequests mail;
  private final ReplySender replies;
  private final PendingRequests asks;
  private final HandoffSender giving;
  private final HandoffReceiver taking;
  private final MoveCommands orders;
  private final AkkaNode akka;
  private final CompletableFuture<Store> ready = new CompletableFuture<>();
  private final CompletableFuture<RuntimeException> ended = new CompletableFuture<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Completes with whether the node has failed, so that it has to close itself. */
  private final CompletableFuture<Boolean> ending = new CompletableFuture<>();

  private volatile Optional<Warning> warning = Optional.empty();

  /** What operators should know. */
  private record Warning(String problem, long nanos) {}

  private NodeRuntime(NodeSettings settings) {
    this.settings = settings;
    this.clock = new NodeClock(EmbeddedStore.clock(settings.store()), settings.maxClockDrift());
    this.partitions = NodePartitions.open(settings, clock);
    this.threads = partitions.threads();
    TrafficBudgets traffic = TrafficBudgets.of(settings.name(), settings.trafficBytes());
    this.mail = new OutboundRequests(view, clock, partitions, outbox);
    this.asks = new PendingRequests(view, mail, traffic.requestsOut(), threads.answers());
    String address = settings.endpoint().address();
    this.replies =
        new ReplySender(
            address, clock, traffic.answersOut(), outbox, settings.store().timeouts().read());
    this.giving =
        new HandoffSender(
            partitions, threads.reads(), threads.giving(), settings.moving().silence());
    this.taking = new HandoffReceiver(partitions, asks, settings, threads.moving());
    this.orders = new MoveCommands(view, asks, partitions, taking);
    try {
      this.akka = AkkaNode.open(settings.endpoint());
    } catch (RuntimeException e) {
      partitions.close();
      throw e;
    }
    Host host = new Host();
    InboundHandler desk =
        new InboundHandler(partitions, asks, giving, taking, clock, replies, outbox);
    Inbound inbox = new Inbound(address, desk, clock, replies, traffic);
    akka.join(settings, host, view, clock, inbox);
    // It is there before it is needed, as there may be no memory for it then, and survives until
    // it is.
    new SupervisedThread(
            "cluster-shutdown",
            this::closeIfFailed,
            new io.github.stablecut.internal.thread.Faults())
        .start();
    mail.connect(akka);
    replies.connect(akka.self());
    partitions.onChange(akka::factsChanged);
  }

  /**
   * Joins a cluster, or begins one.
   *
   * @throws io.github.stablecut.cluster.SettingsException if no other node could reach it, or it is
   *     a seed under another name than its own
   * @throws StablecutException if the directory can't be opened or the port can't be used
   */
  public static NodeRuntime start(NodeSettings settings) {
    SeedAddresses.check(settings.forming().seeds(), settings.endpoint());
    return new NodeRuntime(settings);
  }

  /**
   * Waits until the node serves.
   *
   * @return the store, which is closed with the node
   * @throws JoinRefusedException if the node may not join
   */
  public Store await() {
    try {
      return ready.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StablecutException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /** Completes with the reason when the node can't go on by itself: it has to be closed then. */
  public CompletableFuture<RuntimeException> ended() {
    return ended.copy();
  }

  /** Why the node can't go on, or that it has left; empty while it is a member. */
  public Optional<String> end() {
    return Optional.ofNullable(ended.getNow(null)).map(why -> String.valueOf(why.getMessage()));
  }

  /** What operators should know of though the node serves. */
  public List<String> warnings() {
    List<String> all = new ArrayList<>();
    said().ifPresent(all::add);
    Duration ahead = clock.ahead();
    if (ahead.compareTo(FAR_AHEAD) > 0) {
      all.add(
          "the cluster's clock is %s ahead of this machine's, and nodes refuse each other at %s (cluster.max-clock-drift): find the node whose clock was or is wrong, and set it"
              .formatted(DurationWords.of(ahead), DurationWords.of(clock.maxDrift())));
    }
    return List.copyOf(all);
  }

  private Optional<String> said() {
    return warning
        .filter(said -> System.nanoTime() - said.nanos < WARNING.toNanos())
        .map(Warning::problem);
  }

  /** The threads, for tests that break them. */
  NodeThreads threads() {
    return threads;
  }

  /** The actors, for tests that break them. */
  AkkaNode akka() {
    return akka;
  }

  /** Who owns what, as this node knows it. */
  public List<PartitionPlace> partitions() {
    return orders.places();
  }

  /** The names of the nodes that can be reached, this one among them. */
  public Set<String> nodes() {
    return new TreeSet<>(view.nodes().keySet());
  }

  /** The addresses of the cluster's members, also of those that can't be reached now. */
  public Set<String> members() {
    return new TreeSet<>(view.members());
  }

  /** The names of the nodes that can be reached and are about to leave the cluster. */
  public Set<String> leaving() {
    return new TreeSet<>(view.leaving());
  }

  /**
   * Begins to move a partition to another node.
   *
   * @return the move's number
   * @throws MoveRefusedException if that can't be done
   */
  @CanIgnoreReturnValue
  public long move(int partition, String node) {
    return orders.move(partition, node);
  }

  /**
   * Sees to it that no partition is moved to this node for a while, because it is about to leave.
   *
   * @param time for how long; zero to take partitions again
   * @throws MoveRefusedException if a partition is being moved to it
   */
  public void announceLeave(Duration time) {
    orders.announceLeave(time);
    akka.factsChanged();
  }

  /**
   * Ends the node's membership for good: {@link #ended} completes with a {@link NodeLeftException},
   * and the node is to be closed.
   *
   * @throws MoveRefusedException if it has partitions
   */
  public void leave() {
    orders.leave();
    boolean unused =
        ended.complete(new NodeLeftException("node %s has left".formatted(settings.name())));
  }

  /** How many messages of others were refused, because they were malformed or their clock was. */
  public long refusedMessages() {
    return AkkaNode.refusedMessages() + clock.refused();
  }

  /** From now on requests are brought to partitions. */
  private void startSharding() {
    akka.startSharding(
        view,
        settings.endpoint().address(),
        new RequestGate(partitions.owner(), clock, replies),
        mail::forward);
  }

  /** What the node's actor has done by the process. */
  private final class Host implements NodeHost {
    @Override
    public NodeFacts facts() {
      return partitions.facts(taking.moves(), taking.isLeaving());
    }

    @Override
    public List<PartitionClaim> claims() {
      return partitions.claims();
    }

    @Override
    public void open(NodePlan plan, List<NodeFacts.Ownership> elsewhere) {
      threads
          .opening()
          .execute(
              () -> {
                Optional<RuntimeException> failure = Optional.empty();
                try {
                  partitions.openAll(plan, elsewhere, asks, view);
                  taking.resume();
                } catch (RuntimeException e) {
                  failure = Optional.of(e);
                } catch (Error e) {
                  LOG.error("node {} can't open its partitions", settings.name(), e);
                  failure = Optional.of(NodeFaults.ofNode(settings.name(), e));
                }
                akka.opened(failure);
              });
      startSharding();
    }

    @Override
    public void formed() {
      threads.opening().execute(partitions::markFormed);
    }

    @Override
    public void changed() {
      asks.tick();
      outbox.tick();
      partitions.owner().tick();
      giving.tick();
    }

    @Override
    public void ready() {
      boolean unused = ready.complete(partitions.store());
    }

    @Override
    public void warn(String problem) {
      boolean isNew = said().isEmpty();
      warning = Optional.of(new Warning(problem, System.nanoTime()));
      if (isNew) {
        LOG.warn("{}", problem);
      }
    }

    @Override
    public void failed(RuntimeException why) {
      if (closed.get()) {
        return;
      }
      view.end();
      boolean isJoining = ready.completeExceptionally(why); // who waits for it is told
      if (ended.complete(why) && !isJoining) {
        LOG.error("node {} can't go on: {}", settings.name(), why.getMessage());
      }
      boolean unused = ending.complete(true);
    }

    @Override
    public void stopped(boolean isRemoved) {
      failed(isRemoved ? Admission.removed(settings.name()) : NodeFaults.ofActors(settings.name()));
    }
  }

  /** Nothing of a node that can't go on is served, whether or not somebody closes it. */
  private void closeIfFailed() {
    if (ending.join()) {
      try {
        close();
      } catch (RuntimeException | Error e) {
        LOG.error("node {} could not be closed properly", settings.name(), e);
      }
    }
  }

  /**
   * Leaves the cluster until it is started again, and closes the partitions. Idempotent; whoever
   * calls it while another one closes the node waits for that.
   */
  @Override
  public synchronized void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    boolean unusedEnding = ending.complete(false);
    try {
      akka.leave(LEAVE_PATIENCE);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("node {} could not leave the cluster properly: {}", settings.name(), e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      boolean unused =
          ready.completeExceptionally(
              new StoreClosedException("the node is closed: start it again"));
      taking.close();
      asks.close();
      partitions.close();
    }
  }
}
