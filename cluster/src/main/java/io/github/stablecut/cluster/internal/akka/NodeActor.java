package io.github.stablecut.cluster.internal.akka;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.AbstractBehavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Adapter;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.Receive;
import akka.cluster.ClusterEvent;
import akka.cluster.Member;
import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import akka.cluster.typed.Subscribe;
import akka.remote.artery.ThisActorSystemQuarantinedEvent;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.membership.MemberState;
import io.github.stablecut.cluster.internal.membership.Membership;
import io.github.stablecut.cluster.internal.membership.MembershipContext;
import io.github.stablecut.cluster.internal.membership.MembershipEvent;
import io.github.stablecut.cluster.internal.membership.MembershipMessage;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The actor of a node. It only translates: messages of Akka and other nodes become events of {@link
 * Membership}; the resulting actions are executed by the {@link ActionExecutor}. Confined to its
 * actor.
 */
@SuppressWarnings(
    "serial") // Akka's function types are serializable; these functions are never serialized
final class NodeActor extends AbstractBehavior<Object> {
  static final String NAME = "node";

  /** The states of members that are being removed. */
  static final Set<MemberStatus> ENDING =
      Set.of(MemberStatus.down(), MemberStatus.leaving(), MemberStatus.exiting());

  private static final Duration TICK = Duration.ofMillis(300);

  private final NodeHost host;
  private final Membership membership;
  private final TlsRefusals refusals;
  private final Cluster cluster;
  private final NodeRef self;
  private final ActionExecutor executor;

  private NodeActor(
      ActorContext<Object> context, NodeSettings settings, NodeHost host, SharedParts shared) {
    super(context);
    this.host = host;
    this.refusals = shared.refusals;
    this.cluster = Cluster.get(context.getSystem());
    this.self = new ActorNode(context.getSelf().narrow());
    this.executor = new ActionExecutor(context, settings.name(), host, shared.view);
    this.membership = new Membership(settings, new State(), shared.clock);
  }

  /** The node's state, as {@link Membership} reads it. */
  private final class State implements MembershipContext {
    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public GossipedNodeState facts() {
      return host.facts();
    }

    @Override
    public List<PartitionClaim> claims() {
      return host.claims();
    }

    @Override
    public Set<String> remembered() {
      return host.remembered();
    }

    @Override
    public Optional<String> tlsRefusal() {
      return refusals.latest();
    }

    @Override
    public Optional<NodePlan> agreed() {
      return host.agreed();
    }

    @Override
    public Status status() {
      // Not by address: an earlier node may have had the same one.
      MemberStatus own = cluster.selfMember().status();
      if (own.equals(MemberStatus.up()) || own.equals(MemberStatus.weaklyUp())) {
        return Status.MEMBER;
      }
      return own.equals(MemberStatus.down()) || own.equals(MemberStatus.removed())
          ? Status.REMOVED
          : Status.OUTSIDE;
    }

    @Override
    public long uid() {
      return cluster.selfMember().uniqueAddress().longUid();
    }

    @Override
    public List<MemberState> members() {
      List<MemberState> states = new ArrayList<>();
      cluster.state().getMembers().forEach(member -> states.add(state(member)));
      return states;
    }

    @Override
    public long newStoreId() {
      return NodeDirectory.newStoreId();
    }
  }

  /** The parts of the node that its actor shares. */
  record SharedParts(MembershipView view, NodeClock clock, TlsRefusals refusals) {}

  static Behavior<Object> create(NodeSettings settings, NodeHost host, SharedParts shared) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(
                timers -> {
                  NodeActor actor = new NodeActor(context, settings, host, shared);
                  timers.startTimerWithFixedDelay(new NodeEvent.Tick(), Duration.ZERO, TICK);
                  ActorRef<ClusterEvent.ClusterDomainEvent> events =
                      context.messageAdapter(
                          ClusterEvent.ClusterDomainEvent.class, NodeEvent.MembershipChanged::new);
                  actor
                      .cluster
                      .subscriptions()
                      .tell(Subscribe.create(events, ClusterEvent.ClusterDomainEvent.class));
                  ActorRef<ThisActorSystemQuarantinedEvent> notices =
                      context.messageAdapter(
                          ThisActorSystemQuarantinedEvent.class,
                          notice -> new NodeEvent.Quarantined());
                  Adapter.toClassic(context.getSystem())
                      .eventStream()
                      .subscribe(Adapter.toClassic(notices), ThisActorSystemQuarantinedEvent.class);
                  return actor;
                }));
  }

  @Override
  public Receive<Object> createReceive() {
    Messages messages = new Messages();
    Events events = new Events();
    return newReceiveBuilder()
        .onMessage(NodeMessage.class, message -> message.handTo(messages))
        .onMessage(NodeEvent.class, event -> event.handTo(events))
        .onSignal(
            PostStop.class,
            stopped -> {
              host.stopped(AkkaSystem.isRemoved(Adapter.toClassic(getContext().getSystem())));
              return this;
            })
        .build();
  }

  /** Handles the messages of other nodes. */
  private final class Messages implements NodeMessage.Receiver<Behavior<Object>> {
    @Override
    public Behavior<Object> hello(NodeMessage.Hello message) {
      return on(
          new MembershipEvent.Received(
              new MembershipMessage.Greeting(message.facts(), message.epochs(), message.member()),
              message.from()));
    }

    @Override
    public Behavior<Object> welcome(NodeMessage.Welcome message) {
      return received(new MembershipMessage.Welcome(message.member(), message.isTogether()));
    }

    @Override
    public Behavior<Object> waiting(NodeMessage.Waiting message) {
      return received(new MembershipMessage.Waiting(message.address(), message.isFormed()));
    }

    @Override
    public Behavior<Object> refused(NodeMessage.Refused message) {
      return received(new MembershipMessage.Refused(message.member(), message.reason()));
    }

    @Override
    public Behavior<Object> heartbeat(NodeMessage.Heartbeat message) {
      return received(new MembershipMessage.Heartbeat(message.facts(), message.receivedFrom()));
    }

    @Override
    public Behavior<Object> registration(NodeMessage.Registration message) {
      return Behaviors.unhandled(); // for entities only
    }
  }

  /** Handles the events of this node's own process. */
  private final class Events implements NodeEvent.Receiver<Behavior<Object>> {
    @Override
    public Behavior<Object> factsChanged(NodeEvent.FactsChanged event) {
      return on(new MembershipEvent.Tick());
    }

    @Override
    public Behavior<Object> tick(NodeEvent.Tick event) {
      return on(new MembershipEvent.Tick());
    }

    @Override
    public Behavior<Object> membershipChanged(NodeEvent.MembershipChanged event) {
      return on(translate(event.event()));
    }

    @Override
    public Behavior<Object> quarantined(NodeEvent.Quarantined event) {
      return on(new MembershipEvent.Quarantined());
    }

    @Override
    public Behavior<Object> opened(NodeEvent.Opened event) {
      return on(new MembershipEvent.Opened(event.failure()));
    }
  }

  /** Receives a message that is never answered. */
  private Behavior<Object> received(MembershipMessage message) {
    return on(new MembershipEvent.Received(message, self));
  }

  private Behavior<Object> on(MembershipEvent event) {
    membership.on(event).forEach(action -> action.handTo(executor));
    return this;
  }

  private static MembershipEvent translate(ClusterEvent.ClusterDomainEvent event) {
    if (event instanceof ClusterEvent.UnreachableMember lost) {
      return new MembershipEvent.Suspected(address(lost.member()));
    } else if (event instanceof ClusterEvent.ReachableMember back) {
      return new MembershipEvent.Trusted(address(back.member()));
    } else if (event instanceof ClusterEvent.MemberRemoved removed) {
      return new MembershipEvent.Removed(address(removed.member()));
    } else if (event instanceof ClusterEvent.MemberDowned downed) {
      return new MembershipEvent.Downed(address(downed.member()));
    } else if (event instanceof ClusterEvent.MemberEvent other
        && (other.member().status().equals(MemberStatus.up())
            || other.member().status().equals(MemberStatus.weaklyUp()))) {
      return new MembershipEvent.Joined(address(other.member()));
    }
    return new MembershipEvent.Changed();
  }

  private static MemberState state(Member member) {
    return new MemberState(
        address(member), member.uniqueAddress().longUid(), ENDING.contains(member.status()));
  }

  static String address(Member member) {
    return ActorNode.hostPort(member.address());
  }
}
