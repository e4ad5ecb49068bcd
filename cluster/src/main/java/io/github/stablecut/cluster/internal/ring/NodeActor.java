package io.github.stablecut.cluster.internal.ring;

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
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node among the others: asks whether it may join, joins, makes a new cluster's plan if it is the
 * first, says who it is, and knows who owns what. The partitions and everything that blocks are the
 * {@link Host}'s. Confined to its actor.
 */
@SuppressWarnings("serial") // Akka's types of functions are serialisable; nobody serialises these
final class NodeActor extends AbstractBehavior<RingMessage> {
  private static final Logger LOG = LoggerFactory.getLogger(NodeActor.class);

  static final String NAME = "node";
  private static final Duration TICK = Duration.ofMillis(300);

  /** So often a member that does not answer is told that this node is there. */
  private static final Duration PROBE_EVERY = Duration.ofSeconds(1);

  /** So long a node that was let in waits for a word of each of the others, and for its echo. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  /** What the node's process does. */
  interface Host {
    /** The node as it is now. */
    NodeFacts facts(List<NodeFacts.Ownership> owned);

    /** What the node's directory says of partitions, before it opens any. */
    List<PartitionClaim> claims();

    /**
     * Opens the partitions of a plan, and tells {@link RingMessage.Opened}. Does not block.
     *
     * @param elsewhere partitions that the plan gives the node, but others own by now
     */
    void open(NodePlan plan, List<NodeFacts.Ownership> elsewhere);

    /** Takes note that all partitions have been there. Does not block. */
    void formed();

    /** Partitions may have other owners. */
    void changed();

    /** All is there that is needed to serve. */
    void ready();

    /** Another cluster was found that should be this one, and this one stays. */
    void warn(String problem);

    /** The node can't go on. */
    void failed(RuntimeException why);

    /** The actor has ended: nobody hears of the other nodes any more. */
    void stopped();
  }

  private enum Phase {
    /** Asks seeds whether it may join. */
    GREETING,
    /** Has asked Akka to join. */
    JOINING,
    /** Is a member. */
    MEMBER
  }

  private final RingSettings settings;
  private final Host host;
  private final RingView view;
  private final NodeClock clock;
  private final Members members;
  private final Inbox inbox;
  private final Complaints complaints;
  private final Formation formation;
  private final Cluster cluster;
  private final Seeds seeds;
  private final Startup startup = new Startup(System::nanoTime);

  private Phase phase = Phase.GREETING;
  private long memberSince;
  private long probed;
  private boolean isOpen;
  private boolean isReady;

  private NodeActor(
      ActorContext<RingMessage> context, RingSettings settings, Host host, Known known) {
    super(context);
    this.settings = settings;
    this.host = host;
    this.view = known.view;
    this.clock = known.clock;
    this.members = new Members(settings.endpoint().address(), System::nanoTime);
    this.inbox = known.inbox;
    this.complaints = new Complaints(settings, host);
    this.formation = new Formation(settings, host, complaints);
    this.cluster = Cluster.get(context.getSystem());
    this.seeds =
        new Seeds(settings.forming().seeds(), settings.endpoint().address(), System::nanoTime);
  }

  /** What the node's actor and its process share. */
  record Known(RingView view, NodeClock clock, Inbox inbox) {}

  static Behavior<RingMessage> create(RingSettings settings, Host host, Known known) {
    return Behaviors.setup(
        context ->
            Behaviors.withTimers(
                timers -> {
                  NodeActor actor = new NodeActor(context, settings, host, known);
                  timers.startTimerWithFixedDelay(new RingMessage.Tick(), Duration.ZERO, TICK);
                  ActorRef<ClusterEvent.ClusterDomainEvent> events =
                      context.messageAdapter(
                          ClusterEvent.ClusterDomainEvent.class, RingMessage.Membership::new);
                  actor
                      .cluster
                      .subscriptions()
                      .tell(Subscribe.create(events, ClusterEvent.ClusterDomainEvent.class));
                  ActorRef<ThisActorSystemQuarantinedEvent> notices =
                      context.messageAdapter(
                          ThisActorSystemQuarantinedEvent.class,
                          notice -> new RingMessage.Shunned());
                  boolean unused =
                      Adapter.toClassic(context.getSystem())
                          .eventStream()
                          .subscribe(
                              Adapter.toClassic(notices), ThisActorSystemQuarantinedEvent.class);
                  return actor;
                }));
  }

  @Override
  public Receive<RingMessage> createReceive() {
    return newReceiveBuilder()
        .onMessage(RingMessage.Answer.class, answer -> done(() -> inbox.answer(answer)))
        .onMessage(RingMessage.Ask.class, ask -> done(() -> inbox.ask(ask)))
        .onMessage(RingMessage.FactsChanged.class, changed -> tick())
        .onMessage(RingMessage.Told.class, told -> done(() -> inbox.told(told)))
        .onMessage(RingMessage.Piece.class, piece -> done(() -> inbox.piece(piece)))
        .onMessage(RingMessage.Taken.class, taken -> done(() -> inbox.taken(taken)))
        .onMessage(RingMessage.Tick.class, tick -> tick())
        .onMessage(RingMessage.Hello.class, this::hello)
        .onMessage(RingMessage.Welcome.class, this::welcome)
        .onMessage(RingMessage.Waiting.class, this::waiting)
        .onMessage(RingMessage.Refused.class, this::refused)
        .onMessage(RingMessage.Presence.class, this::presence)
        .onMessage(RingMessage.Membership.class, this::membership)
        .onMessage(RingMessage.Shunned.class, shunned -> shunned())
        .onMessage(RingMessage.Opened.class, this::opened)
        .onSignal(
            PostStop.class,
            stopped -> {
              host.stopped();
              return this;
            })
        .build();
  }

  private Behavior<RingMessage> done(Runnable what) {
    what.run();
    return this;
  }

  private NodeFacts facts() {
    return host.facts(members.owned());
  }

  private Behavior<RingMessage> tick() {
    lookAtOwnStatus();
    switch (phase) {
      case GREETING -> greet();
      case JOINING -> complaints.waitsFor("waits to be let in by the cluster's members");
      case MEMBER -> {
        members.look();
        formation.form(members.present());
        members.blocking(cluster.state().getMembers()).forEach(this::giveUp);
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
    RingMessage.Presence presence =
        new RingMessage.Presence(facts, members.heard(), getContext().getSelf());
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
      tell(
          seed,
          new RingMessage.Hello(
              facts, Optional.empty(), Optional.of(standing()), getContext().getSelf()));
    }
  }

  private void giveUp(Member lost) {
    LOG.warn(
        "the node at {} is removed from the cluster: it can't be reached, and others wait for it",
        Members.address(lost));
    cluster.manager().tell(new Down(lost.address()));
  }

  private void greet() {
    if (seeds.beginsHere(isFormed(facts()))) {
      formation.begin();
      join(settings.endpoint().address());
      return;
    }
    NodeFacts facts = facts();
    Optional<Claims> claims = facts.plan().map(plan -> new Claims(host.claims()));
    for (String seed : seeds.others()) {
      tell(seed, new RingMessage.Hello(facts, claims, Optional.empty(), getContext().getSelf()));
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
    startup.reach(Startup.Stage.ADMITTED);
    Address member =
        AddressFromURIString.parse("akka://" + getContext().getSystem().name() + "@" + address);
    cluster.manager().tell(new Join(member));
    formation.open(facts().plan());
  }

  private Behavior<RingMessage> hello(RingMessage.Hello hello) {
    if (phase == Phase.GREETING) {
      hello.from().tell(new RingMessage.Waiting(settings.endpoint().address()));
    }
    if (phase == Phase.MEMBER && hello.member().isPresent()) {
      Standing other = hello.member().get();
      boolean isTogether = isMember(other);
      hello.from().tell(new RingMessage.Welcome(standing(), isTogether));
      compare(other, isTogether);
      return this;
    }
    // Who has data is let in by who knows what the others have. It asks again.
    if (phase != Phase.MEMBER || (hello.claims().isPresent() && !hasHeardAll())) {
      return this;
    }
    NodeFacts newcomer = hello.facts();
    NodeFacts ours = facts();
    Optional<String> refusal =
        Admission.refusal(newcomer, ours, members.living(newcomer.name()), clock)
            .or(() -> hello.claims().flatMap(old -> old.refusal(newcomer.name(), ours.owned())));
    hello
        .from()
        .tell(
            refusal
                .<RingMessage>map(RingMessage.Refused::new)
                .orElseGet(() -> new RingMessage.Welcome(standing(), false)));
    refusal.ifPresent(why -> LOG.warn("refused to let in: {}", why));
    return this;
  }

  private Behavior<RingMessage> waiting(RingMessage.Waiting other) {
    seeds.isWaiting(other.address());
    return this;
  }

  private Behavior<RingMessage> welcome(RingMessage.Welcome welcome) {
    if (phase == Phase.GREETING) {
      join(welcome.member().address());
    } else if (phase == Phase.MEMBER) {
      compare(welcome.member(), welcome.isTogether());
    }
    return this;
  }

  private Standing standing() {
    return new Standing(
        settings.endpoint().address(),
        cluster.selfMember().uniqueAddress().longUid(),
        self().plan().map(NodePlan::storeId).orElse(0L),
        members.present().size(),
        (System.nanoTime() - memberSince) / 1_000_000);
  }

  /** Whether a node is a member of this node's cluster, and not one that has its address now. */
  private boolean isMember(Standing other) {
    for (Member member : cluster.state().getMembers()) {
      if (Members.address(member).equals(other.address())
          && member.uniqueAddress().longUid() == other.uid()) {
        return true;
      }
    }
    return false;
  }

  /** Gives way to another cluster that should be this one, or says that there is one. */
  private void compare(Standing other, boolean isTogether) {
    if (!seeds.areApart(other.address(), isTogether)) {
      return;
    }
    Standing own = standing();
    String problem = Rivals.problem(settings.name(), own, other);
    if (Rivals.givesWay(own, other, seeds.others())) {
      host.failed(new JoinRefusedException(problem));
    } else {
      host.warn(problem);
    }
  }

  private Behavior<RingMessage> refused(RingMessage.Refused refused) {
    if (phase == Phase.GREETING) {
      host.failed(new JoinRefusedException(refused.reason()));
    }
    return this;
  }

  private Behavior<RingMessage> presence(RingMessage.Presence presence) {
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
    end(Conflict.ofNames(self(), facts));
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

  private Behavior<RingMessage> membership(RingMessage.Membership membership) {
    members.changed(membership.event());
    if (membership.event() instanceof ClusterEvent.UnreachableMember
        || membership.event() instanceof ClusterEvent.MemberRemoved) {
      view.routes().lost(view.owners());
    }
    lookAtOwnStatus();
    publish();
    return this;
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
      startup.reach(Startup.Stage.MEMBER);
      memberSince = System.nanoTime();
    }
    if (phase == Phase.MEMBER
        && (own.equals(MemberStatus.down()) || own.equals(MemberStatus.removed()))) {
      host.failed(Admission.removed(settings.name()));
    }
  }

  private Behavior<RingMessage> shunned() {
    host.failed(Admission.removed(settings.name()));
    return this;
  }

  private Behavior<RingMessage> opened(RingMessage.Opened opened) {
    opened.failure().ifPresent(host::failed);
    isOpen = opened.failure().isEmpty();
    startup.reach(Startup.Stage.OPEN);
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
    end(Conflict.ofOwners(self, members.owned()));
    members.note(self);
    int partitions = self.plan().map(plan -> plan.owners().size()).orElse(0);
    List<RingView.Owner> owners = members.owners(partitions);
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
      startup.reach(Startup.Stage.READY);
      LOG.info("node {} serves: it {}", settings.name(), startup);
      host.ready();
    }
  }

  private void tell(String address, RingMessage message) {
    String system = getContext().getSystem().name();
    ActorSelection node =
        Adapter.toClassic(getContext().getSystem())
            .actorSelection("akka://" + system + "@" + address + "/user/" + NAME);
    node.tell(message, akka.actor.ActorRef.noSender());
  }
}
