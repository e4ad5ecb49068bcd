package io.github.stablecut.cluster.internal.akka;

import akka.Done;
import akka.actor.ActorSystem;
import akka.actor.CoordinatedShutdown;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Adapter;
import akka.cluster.sharding.typed.javadsl.ClusterSharding;
import akka.cluster.sharding.typed.javadsl.Entity;
import akka.cluster.typed.Cluster;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.remote.NodeTls;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.internal.thread.FireAndForget;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The Akka side of a node: its port, its membership of Akka's cluster, and its actors. Thread-safe.
 */
@SuppressWarnings(
    "serial") // Akka's function types are serializable; these functions are never serialized
public final class AkkaNode {
  /** The name of the actor system, the same on all nodes. */
  private static final String SYSTEM = "stablecut";

  private final ActorSystem system;
  private final TlsRefusals refusals;

  /** Completes once the node begins to join. */
  private final CompletableFuture<ActorRef<Object>> actor = new CompletableFuture<>();

  /** The shard region, which registers the entities of partitions. */
  private volatile Optional<ActorRef<NodeMessage>> region = Optional.empty();

  /** The epochs of the owners whose entities were registered, by partition. */
  private final Map<Integer, Long> registered = new ConcurrentHashMap<>();

  private AkkaNode(ActorSystem system, TlsRefusals refusals) {
    this.system = system;
    this.refusals = refusals;
  }

  /**
   * Opens the port for nodes.
   *
   * @throws io.github.stablecut.cluster.JoinRefusedException if it can't be opened
   * @throws io.github.stablecut.cluster.SettingsException if the secret can't be read
   */
  public static AkkaNode open(NodeSettings.Endpoint endpoint) {
    TlsRefusals refusals = new TlsRefusals(System::nanoTime);
    return new AkkaNode(AkkaSystem.start(SYSTEM, endpoint, refusals), refusals);
  }

  /** TLS with the keys of the port for nodes. */
  public NodeTls tls(NodeSettings.Endpoint endpoint) {
    return AkkaSystem.tls(endpoint, refusals);
  }

  /** Starts to join a cluster. Called once. */
  public void join(NodeSettings settings, NodeHost host, MembershipView view, NodeClock clock) {
    NodeActor.SharedParts shared = new NodeActor.SharedParts(view, clock, refusals);
    actor.complete(Adapter.spawn(system, NodeActor.create(settings, host, shared), NodeActor.NAME));
    // Akka terminates its system when the node is removed, perhaps before the actor learns of it,
    // and after an error on one of its threads. Termination takes a while; the node ends when it
    // begins.
    CoordinatedShutdown.get(system)
        .addTask(
            CoordinatedShutdown.PhaseBeforeServiceUnbind(),
            "stablecut",
            () -> {
              host.stopped(AkkaSystem.isRemoved(system));
              return CompletableFuture.completedFuture(Done.getInstance());
            });
  }

  /** Returns the number of malformed messages that this process has refused. */
  public static long refusedMessages() {
    return MessageSerializer.refused();
  }

  /** A partition was opened or closed, or the node is about to leave. */
  public void factsChanged() {
    tell(new NodeEvent.FactsChanged());
  }

  /** The node's partitions are open, or can't be opened. */
  public void opened(Optional<RuntimeException> failure) {
    tell(new NodeEvent.Opened(failure));
  }

  private void tell(NodeEvent event) {
    FireAndForget.logFailure(
        actor.thenAccept(there -> there.tell(event)), "an event did not reach the node's actor");
  }

  /**
   * Starts to register the entities of partitions.
   *
   * @param address this node's address
   */
  public void startSharding(MembershipView view, String address) {
    region =
        Optional.of(
            ClusterSharding.get(Adapter.toTyped(system))
                .init(
                    Entity.of(PartitionEntity.KEY, context -> PartitionEntity.create())
                        .withMessageExtractor(new PartitionEntity.Extractor())
                        .withAllocationStrategy(new OwnerAllocationStrategy(view, address))));
  }

  /** Registers the entity of a partition, once per owner. */
  public void register(MembershipView.Owner owner) {
    region.ifPresent(
        entities -> {
          Long before = registered.put(owner.partition(), owner.epoch());
          if (before == null || before != owner.epoch()) {
            entities.tell(new NodeMessage.Registration(owner.partition()));
          }
        });
  }

  /** Has the cluster remove a member that is lost for good. */
  public void remove(String address) {
    ActionExecutor.remove(Cluster.get(Adapter.toTyped(system)), address);
  }

  /** The actor system, for fault injection by tests. */
  public ActorSystem system() {
    return system;
  }

  /**
   * Leaves the cluster. Does not wait for the termination of the actor system, which a connection
   * to another node may delay.
   *
   * @param patience how long to wait
   * @throws ExecutionException if the node could not leave in order
   * @throws TimeoutException if the others have not answered in time
   */
  public void leave(Duration patience)
      throws ExecutionException, TimeoutException, InterruptedException {
    CoordinatedShutdown.get(system)
        .runAll(CoordinatedShutdown.actorSystemTerminateReason())
        .toCompletableFuture()
        .get(patience.toNanos(), TimeUnit.NANOSECONDS);
  }
}
