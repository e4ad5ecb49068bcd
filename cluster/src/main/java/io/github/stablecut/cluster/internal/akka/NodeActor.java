package io.github.stablecut.cluster.internal.akka;

import akka.actor.ActorSelection;
import akka.actor.AddressFromURIString;
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
import akka.cluster.typed.Down;
import akka.cluster.typed.Join;
import akka.cluster.typed.Subscribe;
import akka.remote.artery.ThisActorSystemQuarantinedEvent;
import io.github.stablecut.cluster.internal.membership.MemberState;
import io.github.stablecut.cluster.internal.membership.Membership;
import io.github.stablecut.cluster.internal.membership.MembershipAction;
import io.github.stablecut.cluster.internal.membership.MembershipEvent;
import io.github.stablecut.cluster.internal.membership.MembershipMessage;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeFacts;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.membership.NodeState;
import io.github.stablecut.cluster.internal.remote.Inbound;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.PartitionClaim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actor of a node. It only translates: messages of Akka and other nodes become events of {@link
 * Membership}; the resulting actions are executed by Akka and the {@link NodeHost}; messages about
 * partitions go to {@link Inbound}. Confined to its actor.
 */
@SuppressWarnings("serial") // Akka's types of functions are serialisable; nobody serialises these
final class NodeActor extends AbstractBehavior<Object> {
  private static final Logger LOG = LoggerFactory.getLogger(NodeActor.class);

  static final String NAME = "node";

  /** The states of members that are being removed. */
  private static final Set<MemberStatus> ENDING =
      Set.of(MemberStatus.down(), MemberStatus.leaving(), MemberStatus.exiting());

  private static final Duration TICK = Duration.ofMillis(300);

  private final NodeSettings settings;
  private final NodeHost host;
  private final MembershipView view;
  private final Inbound inbound;
  private final Membership membership;
  private final Cluster cluster;
  private final NodeRef self;

  private NodeActor(
      ActorContext<Object> context, NodeSettings settings, NodeHost host, Known known) {
    super(context);
    this.settings = settings;
    this.host = host;
    this.view = known.view;
    this.inbound = known.inbound;
    this.cluster = Cluster.get(context.getSystem());
    this.self = new ActorNode(context.getSelf().narrow());
    this.membership = new Membership(settings, new State(), known.clock);
  }

  /** The node's state, as {@link Membership} reads it. */
  private final class State implements NodeState {
    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public NodeFacts facts() {
      return host.facts();
    }

    @Override
    public List<PartitionClaim> claims() {
      return host.claims();
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
  record Known(MembershipView view, NodeClock clock, Inbound inbound) {}

  static Behavior<Object> create(NodeSettings settings, NodeHost host, Known known) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(
                timers -> {
                  NodeActor actor = new NodeActor(context, settings, host, known);
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
                  boolean unused =
                      Adapter.toClassic(context.getSystem())
                          .eventStream()
                          .subscribe(
                              Adapter.toClassic(notices), ThisActorSystemQuarantinedEvent.class);
                  return actor;
                }));
  }

  @Override
  public Receive<Object> createReceive() {
    return newReceiveBuilder()
        .onMessage(NodeMessage.ReplyEnvelope.class, reply -> done(() -> inbound.reply(reply)))
        .onMessage(
            NodeMessage.RequestEnvelope.class, request -> done(() -> inbound.request(request)))
        .onMessage(NodeMessage.DriverReply.class, reply -> done(() -> inbound.driverReply(reply)))
        .onMessage(
            NodeMessage.FragmentMessage.class, fragment -> done(() -> inbound.fragment(fragment)))
        .onMessage(NodeMessage.FragmentAck.class, ack -> done(() -> inbound.ack(ack)))
        .onMessage(NodeMessage.Hello.class, this::hello)
        .onMessage(
            NodeMessage.Welcome.class,
            welcome ->
                received(new MembershipMessage.Welcome(welcome.member(), welcome.isTogether())))
        .onMessage(
            NodeMessage.Waiting.class,
            waiting -> received(new MembershipMessage.Waiting(waiting.address())))
        .onMessage(
            NodeMessage.Refused.class,
            refused -> received(new MembershipMessage.Refused(refused.reason())))
        .onMessage(
            NodeMessage.Heartbeat.class,
            beat -> received(new MembershipMessage.Heartbeat(beat.facts(), beat.heard())))
        .onMessage(NodeEvent.FactsChanged.class, changed -> on(new MembershipEvent.Tick()))
        .onMessage(NodeEvent.Tick.class, tick -> on(new MembershipEvent.Tick()))
        .onMessage(NodeEvent.MembershipChanged.class, changed -> on(event(changed.event())))
        .onMessage(NodeEvent.Quarantined.class, shunned -> on(new MembershipEvent.Quarantined()))
        .onMessage(
            NodeEvent.Opened.class, opened -> on(new MembershipEvent.Opened(opened.failure())))
        .onSignal(
            PostStop.class,
            stopped -> {
              host.stopped(AkkaSystem.isRemoved(Adapter.toClassic(getContext().getSystem())));
              return this;
            })
        .build();
  }

  private Behavior<Object> done(Runnable what) {
    what.run();
    return this;
  }

  private Behavior<Object> hello(NodeMessage.Hello hello) {
    return on(
        new MembershipEvent.Received(
            new MembershipMessage.Greeting(hello.facts(), hello.epochs(), hello.member()),
            hello.from()));
  }

  /** Receives a message that is never answered. */
  private Behavior<Object> received(MembershipMessage message) {
    return on(new MembershipEvent.Received(message, self));
  }

  private Behavior<Object> on(MembershipEvent event) {
    membership.on(event).forEach(this::execute);
    return this;
  }

  private void execute(MembershipAction action) {
    if (action instanceof MembershipAction.Send send) {
      send(send.address(), onWire(send.message()));
    } else if (action instanceof MembershipAction.Answer answer
        && answer.sender() instanceof NodeRef sender) {
      sender.tell(onWire(answer.message()));
    } else if (action instanceof MembershipAction.Join join) {
      cluster
          .manager()
          .tell(new Join(AddressFromURIString.parse("akka://" + system() + "@" + join.address())));
    } else if (action instanceof MembershipAction.Remove remove) {
      remove(remove.address());
    } else if (action instanceof MembershipAction.Open open) {
      host.open(open.plan(), open.elsewhere());
    } else if (action instanceof MembershipAction.MarkFormed) {
      host.formed();
    } else if (action instanceof MembershipAction.DistrustRoutes) {
      view.routes().lost(view.owners());
    } else if (action instanceof MembershipAction.Publish all) {
      view.joined(all.members());
      view.leave(all.leaving());
      view.publish(all.owners(), all.nodes(), all.moves());
      host.changed();
    } else if (action instanceof MembershipAction.Serve serve) {
      LOG.info("node {} serves: it {}", settings.name(), serve.timings());
      host.ready();
    } else if (action instanceof MembershipAction.Warn warn) {
      host.warn(warn.problem());
    } else if (action instanceof MembershipAction.Log log) {
      LOG.warn("{}", log.text());
    } else if (action instanceof MembershipAction.Fail fail) {
      host.failed(fail.why());
    } else {
      throw new IllegalStateException("unknown action: " + action);
    }
  }

  private NodeMessage onWire(MembershipMessage message) {
    if (message instanceof MembershipMessage.Greeting greeting) {
      return new NodeMessage.Hello(greeting.facts(), greeting.epochs(), greeting.member(), self);
    } else if (message instanceof MembershipMessage.Welcome welcome) {
      return new NodeMessage.Welcome(welcome.member(), welcome.isTogether());
    } else if (message instanceof MembershipMessage.Waiting waiting) {
      return new NodeMessage.Waiting(waiting.address());
    } else if (message instanceof MembershipMessage.Refused refused) {
      return new NodeMessage.Refused(refused.reason());
    } else if (message instanceof MembershipMessage.Heartbeat beat) {
      return new NodeMessage.Heartbeat(beat.facts(), beat.heard(), self);
    }
    throw new IllegalStateException("no wire format for message: " + message);
  }

  private void remove(String lost) {
    for (Member member : cluster.state().getMembers()) {
      if (address(member).equals(lost) && !ENDING.contains(member.status())) {
        cluster.manager().tell(new Down(member.address()));
      }
    }
  }

  private static MembershipEvent event(ClusterEvent.ClusterDomainEvent event) {
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

  private static String address(Member member) {
    return ActorNode.hostPort(member.address());
  }

  private String system() {
    return getContext().getSystem().name();
  }

  private void send(String address, NodeMessage message) {
    ActorSelection node =
        Adapter.toClassic(getContext().getSystem())
            .actorSelection("akka://" + system() + "@" + address + "/user/" + NAME);
    node.tell(message, akka.actor.ActorRef.noSender());
  }
}
