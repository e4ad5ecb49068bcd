package io.github.stablecut.cluster.internal.akka;

import akka.actor.ActorSelection;
import akka.actor.Address;
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
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.internal.membership.Admission;
import io.github.stablecut.cluster.internal.membership.ClockDrift;
import io.github.stablecut.cluster.internal.membership.ClusterSummary;
import io.github.stablecut.cluster.internal.membership.CompetingClusters;
import io.github.stablecut.cluster.internal.membership.DirectoryEpochs;
import io.github.stablecut.cluster.internal.membership.Formation;
import io.github.stablecut.cluster.internal.membership.MemberState;
import io.github.stablecut.cluster.internal.membership.Members;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeFacts;
import io.github.stablecut.cluster.internal.membership.NodeHost;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.membership.OwnershipConflict;
import io.github.stablecut.cluster.internal.membership.Seeds;
import io.github.stablecut.cluster.internal.membership.StartupTimings;
import io.github.stablecut.cluster.internal.membership.WaitReporter;
import io.github.stablecut.cluster.internal.remote.Inbound;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.internal.recovery.NodePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node among the others: asks whether it may join, joins, makes a new cluster's plan if it is the
 * first, says who it is, and knows who owns what. The partitions and everything that blocks are the
 * {@link NodeHost}'s. Confined to its actor.
 */
@SuppressWarnings("serial") // Akka's types of functions are serialisable; nobody serialises these
public final class NodeActor extends AbstractBehavior<Object> {
  private static final Logger LOG = LoggerFactory.getLogger(NodeActor.class);

  static final String NAME = "node";

  /** Members that are to be removed. */
  private static final Set<MemberStatus> ENDING =
      Set.of(MemberStatus.down(), MemberStatus.leaving(), MemberStatus.exiting());

  private static final Duration TICK = Duration.ofMillis(300);

  /** So often a member that does not answer is told that this node is there. */
  private static final Duration PROBE_EVERY = Duration.ofSeconds(1);

  /** So long a node that was let in waits for a word of each of the others, and for its echo. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  private enum Phase {
    /** PendingRequests seeds whether it may join. */
    GREETING,
    /** Has asked Akka to join. */
    JOINING,
    /** Is a member. */
    MEMBER
  }

  private final NodeSettings settings;
  private final NodeHost host;
  private final MembershipView view;
  private final NodeClock clock;
  private final Members members;
  private final Inbound inbox;
  private final WaitReporter complaints;
  private final Formation formation;
  private final Cluster cluster;
  private final Seeds seeds;
  private final StartupTimings startup = new StartupTimings(System::nanoTime);

  private Phase phase = Phase.GREETING;
  private long memberSince;
  private long probed;
  private final NodeRef self;
  private boolean isOpen;
  private boolean isReady;

  private NodeActor(
      ActorContext<Object> context, NodeSettings settings, NodeHost host, Known known) {
    super(context);
    this.self = new ActorNode(context.getSelf().narrow());
    this.settings = settings;
    this.host = host;
    this.view = known.view;
    this.clock = known.clock;
    this.members = new Members(settings.endpoint().address(), System::nanoTime);
    this.inbox = known.inbox;
    this.complaints = new WaitReporter(settings, host);
    this.formation = new Formation(settings, host, complaints);
    this.cluster = Cluster.get(context.getSystem());
    this.seeds =
        new Seeds(settings.forming().seeds(), settings.endpoint().address(), System::nanoTime);
  }

  /** What the node's actor and its process share. */
  record Known(MembershipView view, NodeClock clock, Inbound inbox) {}

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
        .onMessage(NodeMessage.ReplyEnvelope.class, answer -> done(() -> inbox.answer(answer)))
        .onMessage(NodeMessage.RequestEnvelope.class, ask -> done(() -> inbox.ask(ask)))
        .onMessage(NodeEvent.FactsChanged.class, changed -> tick())
        .onMessage(NodeMessage.DriverReply.class, told -> done(() -> inbox.told(told)))
        .onMessage(NodeMessage.FragmentMessage.class, piece -> done(() -> inbox.piece(piece)))
        .onMessage(NodeMessage.FragmentAck.class, taken -> done(() -> inbox.taken(taken)))
        .onMessage(NodeEvent.Tick.class, tick -> tick())
        .onMessage(NodeMessage.Hello.class, this::hello)
        .onMessage(NodeMessage.Welcome.class, this::welcome)
        .onMessage(NodeMessage.Waiting.class, this::waiting)
        .onMessage(NodeMessage.Refused.class, this::refused)
        .onMessage(NodeMessage.Heartbeat.class, this::presence)
        .onMessage(NodeEvent.MembershipChanged.class, this::membership)
        .onMessage(NodeEvent.Quarantined.class, shunned -> shunned())
        .onMessage(NodeEvent.Opened.class, this::opened)
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

  private NodeFacts facts() {
    return host.facts(members.owned());
  }

  private Behavior<Object> tick() {
    lookAtOwnStatus();
    switch (phase) {
      case GREETING -> greet();
      case JOINING -> complaints.waitsFor("waits to be let in by the cluster's members");
      case MEMBER -> {
        members.look();
        formation.form(members.present());
        giveUp(members.blocking(states()));
        if (formation.isOpening() && !isReady) {
          complaints.waitsFor("waits for the other nodes of the cluster");
        }
        NodeFacts facts = facts();
        tellOthers(facts);
        findOtherClusters(facts);
      }
    }
    publish();
    return this;
  }

  private void tellOthers(NodeFacts facts) {
    NodeMessage.Heartbeat presence = new NodeMessage.Heartbeat(facts, members.heard(), self);
    long now = System.nanoTime();
    boolean isProbing = now - probed > PROBE_EVERY.toNanos();
    probed = isProbing ? now : probed;
    // What is sent often to who is lost would pile up, and come when it is old.
    members.up().stream()
        .filter(address -> isProbing || !members.isLost(address))
        .forEach(address -> tell(address, presence));
  }

  private void findOtherClusters(NodeFacts facts) {
    Set<String> reachable =
        members.up().stream().filter(members::isReachable).collect(Collectors.toSet());
    for (String seed : seeds.missing(reachable)) {
      tell(seed, new NodeMessage.Hello(facts, Optional.empty(), Optional.of(standing()), self));
    }
  }

  private void giveUp(List<String> lost) {
    for (Member member : cluster.state().getMembers()) {
      if (lost.contains(address(member))) {
        LOG.warn(
            "the node at {} is removed from the cluster: it can't be reached, and others wait for it",
            address(member));
        cluster.manager().tell(new Down(member.address()));
      }
    }
  }

  /** The members as Akka knows them. */
  private List<MemberState> states() {
    List<MemberState> states = new ArrayList<>();
    cluster.state().getMembers().forEach(member -> states.add(state(member)));
    return states;
  }

  private static MemberState state(Member member) {
    return new MemberState(
        address(member), member.uniqueAddress().longUid(), ENDING.contains(member.status()));
  }

  private static String address(Member member) {
    return ActorNode.hostPort(member.address());
  }

  private void greet() {
    if (seeds.beginsHere(isFormed(facts()))) {
      formation.begin();
      join(settings.endpoint().address());
      return;
    }
    NodeFacts facts = facts();
    Optional<DirectoryEpochs> claims = facts.plan().map(plan -> new DirectoryEpochs(host.claims()));
    for (String seed : seeds.others()) {
      tell(seed, new NodeMessage.Hello(facts, claims, Optional.empty(), self));
    }
    complaints.waitsForOthers(
        "waits for one of the seeds %s to answer, and serves nothing meanwhile"
            .formatted(seeds.others()));
  }

  private static boolean isFormed(NodeFacts facts) {
    return facts.plan().map(NodePlan::isFormed).orElse(false);
  }

  private void join(String address) {
    phase = Phase.JOINING;
    startup.reach(StartupTimings.Stage.ADMITTED);
    Address member =
        AddressFromURIString.parse("akka://" + getContext().getSystem().name() + "@" + address);
    cluster.manager().tell(new Join(member));
    formation.open(facts().plan());
  }

  private Behavior<Object> hello(NodeMessage.Hello hello) {
    if (phase == Phase.GREETING) {
      hello.from().tell(new NodeMessage.Waiting(settings.endpoint().address()));
    }
    if (phase == Phase.MEMBER && hello.member().isPresent()) {
      ClusterSummary other = hello.member().get();
      boolean isTogether = isMember(other);
      hello.from().tell(new NodeMessage.Welcome(standing(), isTogether));
      compare(other, isTogether);
      return this;
    }
    // Who has data is let in by who knows what the others have. It asks again.
    if (phase != Phase.MEMBER || (hello.epochs().isPresent() && !hasHeardAll())) {
      return this;
    }
    NodeFacts newcomer = hello.facts();
    NodeFacts ours = facts();
    Optional<String> refusal =
        Admission.refusal(newcomer, ours, members.living(newcomer.name()), clock)
            .or(() -> hello.epochs().flatMap(old -> old.refusal(newcomer.name(), ours.owned())));
    hello
        .from()
        .tell(
            refusal
                .<NodeMessage>map(NodeMessage.Refused::new)
                .orElseGet(() -> new NodeMessage.Welcome(standing(), false)));
    refusal.ifPresent(why -> LOG.warn("refused to let in: {}", why));
    return this;
  }

  private Behavior<Object> waiting(NodeMessage.Waiting other) {
    seeds.isWaiting(other.address());
    return this;
  }

  private Behavior<Object> welcome(NodeMessage.Welcome welcome) {
    if (phase == Phase.GREETING) {
      join(welcome.member().address());
    } else if (phase == Phase.MEMBER) {
      compare(welcome.member(), welcome.isTogether());
    }
    return this;
  }

  private ClusterSummary standing() {
    return new ClusterSummary(
        settings.endpoint().address(),
        cluster.selfMember().uniqueAddress().longUid(),
        self().plan().map(NodePlan::storeId).orElse(0L),
        members.present().size(),
        (System.nanoTime() - memberSince) / 1_000_000);
  }

  /** Whether a node is a member of this node's cluster, and not one that has its address now. */
  private boolean isMember(ClusterSummary other) {
    for (Member member : cluster.state().getMembers()) {
      if (address(member).equals(other.address())
          && member.uniqueAddress().longUid() == other.uid()) {
        return true;
      }
    }
    return false;
  }

  /** Gives way to another cluster that should be this one, or says that there is one. */
  private void compare(ClusterSummary other, boolean isTogether) {
    if (!seeds.areApart(other.address(), isTogether)) {
      return;
    }
    ClusterSummary own = standing();
    String problem = CompetingClusters.problem(settings.name(), own, other);
    if (CompetingClusters.givesWay(own, other, seeds.others())) {
      host.failed(new JoinRefusedException(problem));
    } else {
      host.warn(problem);
    }
  }

  private Behavior<Object> refused(NodeMessage.Refused refused) {
    if (phase == Phase.GREETING) {
      host.failed(new JoinRefusedException(refused.reason()));
    }
    return this;
  }

  private Behavior<Object> presence(NodeMessage.Heartbeat presence) {
    NodeFacts facts = presence.facts();
    // What comes before this node is a member, or from who is none, may be for one that had its
    // address before: in another cluster, perhaps.
    if (phase != Phase.MEMBER
        || !members.up().contains(facts.address())
        || facts.protocol() != NodeFacts.PROTOCOL) {
      return this;
    }
    if (!clock.admits(facts.clock())) {
      host.warn(
          "the clock of node %s is wrong, or this one's is: %s"
              .formatted(facts.name(), ClockDrift.words(facts.clock(), clock)));
      return this;
    }
    clock.observe(facts.clock());
    end(OwnershipConflict.ofNames(self(), facts));
    members.heard(facts, presence.heard());
    if (facts().plan().isEmpty()) {
      facts.plan().ifPresent(plan -> formation.adopt(plan, members.owned(), hasHeardAll()));
    }
    publish();
    return this;
  }

  /** The node without what it knows of others. */
  private NodeFacts self() {
    return host.facts(List.of());
  }

  private void end(Optional<String> why) {
    why.ifPresent(conflict -> host.failed(new JoinRefusedException(conflict)));
  }

  private Behavior<Object> membership(NodeEvent.MembershipChanged membership) {
    note(membership.event());
    if (membership.event() instanceof ClusterEvent.UnreachableMember
        || membership.event() instanceof ClusterEvent.MemberRemoved) {
      view.routes().lost(view.owners());
    }
    lookAtOwnStatus();
    publish();
    return this;
  }

  private void note(ClusterEvent.ClusterDomainEvent event) {
    if (event instanceof ClusterEvent.UnreachableMember lost) {
      members.suspect(address(lost.member()));
    } else if (event instanceof ClusterEvent.ReachableMember back) {
      members.trust(address(back.member()));
    } else if (event instanceof ClusterEvent.MemberRemoved removed) {
      members.removed(address(removed.member()));
    } else if (event instanceof ClusterEvent.MemberDowned downed) {
      members.gone(address(downed.member()));
    } else if (event instanceof ClusterEvent.MemberEvent other
        && (other.member().status().equals(MemberStatus.up())
            || other.member().status().equals(MemberStatus.weaklyUp()))) {
      members.joined(address(other.member()));
    }
  }

  /**
   * Finds out whether this node was let in or removed. Not only when an event says so: what Akka
   * tells of the node itself may be older than the event, and no other may come.
   */
  private void lookAtOwnStatus() {
    // Not by address: another node may have had it before.
    MemberStatus own = cluster.selfMember().status();
    if (phase == Phase.JOINING
        && (own.equals(MemberStatus.up()) || own.equals(MemberStatus.weaklyUp()))) {
      phase = Phase.MEMBER;
      startup.reach(StartupTimings.Stage.MEMBER);
      memberSince = System.nanoTime();
    }
    if (phase == Phase.MEMBER
        && (own.equals(MemberStatus.down()) || own.equals(MemberStatus.removed()))) {
      host.failed(Admission.removed(settings.name()));
    }
  }

  private Behavior<Object> shunned() {
    host.failed(Admission.removed(settings.name()));
    return this;
  }

  private Behavior<Object> opened(NodeEvent.Opened opened) {
    opened.failure().ifPresent(host::failed);
    isOpen = opened.failure().isEmpty();
    startup.reach(StartupTimings.Stage.OPEN);
    publish();
    return this;
  }

  /** Whether all members that answer have said who they are and what they have. */
  private boolean hasHeardAll() {
    return (members.up().contains(settings.endpoint().address()) && members.haveSpoken())
        || areSilent();
  }

  private boolean areSilent() {
    return System.nanoTime() - memberSince > SILENCE.toNanos();
  }

  /** Makes known who owns what. */
  private void publish() {
    NodeFacts self = self();
    end(OwnershipConflict.ofOwners(self, members.owned()));
    members.note(self);
    int partitions = self.plan().map(plan -> plan.owners().size()).orElse(0);
    List<MembershipView.Owner> owners = members.owners(partitions);
    view.joined(members.up());
    view.leave(members.leaving());
    view.publish(owners, members.reachable(), members.moves());
    host.changed();
    boolean isWhole = isOpen && owners.stream().noneMatch(owner -> owner.node().isEmpty());
    boolean hasBeenFormed = isFormed(self);
    if (isWhole && !hasBeenFormed) {
      host.formed();
    }
    if (!isReady
        && isOpen
        && phase == Phase.MEMBER
        && (isWhole || hasBeenFormed)
        && hasHeardAll()
        && (members.haveHeardOf(self) || areSilent())) {
      isReady = true;
      startup.reach(StartupTimings.Stage.READY);
      LOG.info("node {} serves: it {}", settings.name(), startup);
      host.ready();
    }
  }

  private void tell(String address, NodeMessage message) {
    String system = getContext().getSystem().name();
    ActorSelection node =
        Adapter.toClassic(getContext().getSystem())
            .actorSelection("akka://" + system + "@" + address + "/user/" + NAME);
    node.tell(message, akka.actor.ActorRef.noSender());
  }
}
