package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.internal.membership.MembershipAction.Answer;
import io.github.stablecut.cluster.internal.membership.MembershipAction.Fail;
import io.github.stablecut.cluster.internal.membership.MembershipAction.Send;
import io.github.stablecut.internal.recovery.NodePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The membership of a node as a state machine: takes events, returns actions, and does nothing
 * else. It asks whether the node may join, joins, makes a new cluster's plan if it is the first,
 * tells others who the node is, has lost members removed if others wait for that, and knows who
 * owns what. Confined to one thread.
 */
public final class Membership {
  /** So often a member that does not answer is told that this node is there. */
  private static final Duration PROBE_EVERY = Duration.ofSeconds(1);

  /** So long a node that was let in waits for a word of each of the others, and for its echo. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  /** A node that could not join for so long starts over: who has let it in may be gone. */
  private static final Duration REJOIN_AFTER = Duration.ofSeconds(10);

  private enum Phase {
    /** Asks seeds whether it may join. */
    GREETING,
    /** Has asked to join. */
    JOINING,
    /** Is a member. */
    MEMBER
  }

  private final NodeSettings settings;
  private final MembershipContext node;
  private final NodeClock clock;
  private final Members members;
  private final WaitReporter waits;
  private final ClusterFormation formation;
  private final KnownPlan known;
  private final RememberedMembers remembered;
  private final Seeds seeds;
  private final StartupTimings startup;
  private final List<MembershipAction> actions = new ArrayList<>();

  /** The partitions that this run of the node has had open. */
  private final Set<Integer> opened = new HashSet<>();

  private Phase phase = Phase.GREETING;

  /** Through whom the node joins. */
  private String joining = "";

  private long joiningSince;
  private long memberSince;
  private long probed;
  private boolean isOpen;
  private boolean isReady;

  /**
   * @param node is asked while an event is handled
   * @param clock the node's
   */
  public Membership(NodeSettings settings, MembershipContext node, NodeClock clock) {
    this.settings = settings;
    this.node = node;
    this.clock = clock;
    String address = settings.endpoint().address();
    this.members = new Members(address, node::nanoTime);
    this.waits = new WaitReporter(settings, node::nanoTime, actions::add);
    this.formation = new ClusterFormation(settings, node::newStoreId, actions::add, waits);
    this.known = new KnownPlan(settings.name(), node, actions::add);
    this.remembered = new RememberedMembers(node, address, actions::add);
    this.seeds =
        new Seeds(settings.forming().seeds(), address, remembered.addresses(), node::nanoTime);
    this.startup = new StartupTimings(node::nanoTime);
  }

  /** What is to be done after something has happened, in order. */
  public List<MembershipAction> on(MembershipEvent event) {
    event.handTo(new Events());
    if (actions.stream().anyMatch(Fail.class::isInstance)) {
      // Who ends takes note of nothing: its directory may be an older one.
      boolean unused = actions.removeIf(MembershipAction.Update.class::isInstance);
    }
    List<MembershipAction> result = List.copyOf(actions);
    actions.clear();
    return result;
  }

  /** Handles each kind of event. */
  private final class Events implements MembershipEvent.Receiver {
    @Override
    public void tick(MembershipEvent.Tick event) {
      Membership.this.tick();
    }

    @Override
    public void received(MembershipEvent.Received event) {
      event.message().handTo(new Messages(event.sender()));
    }

    @Override
    public void joined(MembershipEvent.Joined event) {
      members.joined(event.address());
      membersChanged();
    }

    @Override
    public void suspected(MembershipEvent.Suspected event) {
      members.suspect(event.address());
      actions.add(new MembershipAction.DistrustRoutes());
      membersChanged();
    }

    @Override
    public void trusted(MembershipEvent.Trusted event) {
      members.trust(event.address());
      membersChanged();
    }

    @Override
    public void downed(MembershipEvent.Downed event) {
      members.gone(event.address());
      membersChanged();
    }

    @Override
    public void removed(MembershipEvent.Removed event) {
      members.removed(event.address());
      actions.add(new MembershipAction.DistrustRoutes());
      membersChanged();
    }

    @Override
    public void changed(MembershipEvent.Changed event) {
      membersChanged();
    }

    @Override
    public void quarantined(MembershipEvent.Quarantined event) {
      actions.add(new Fail(Admission.removed(settings.name())));
    }

    @Override
    public void opened(MembershipEvent.Opened event) {
      event.failure().ifPresent(why -> actions.add(new Fail(why)));
      isOpen = event.failure().isEmpty();
      startup.reach(StartupTimings.Stage.OPEN);
      publish();
    }
  }

  private void membersChanged() {
    lookAtOwnStatus();
    publish();
  }

  /** Handles each kind of message. */
  private final class Messages implements MembershipMessage.Receiver {
    private final Object sender;

    Messages(Object sender) {
      this.sender = sender;
    }

    @Override
    public void greeting(MembershipMessage.Greeting message) {
      greeted(message, sender);
    }

    @Override
    public void welcome(MembershipMessage.Welcome message) {
      welcomed(message);
    }

    @Override
    public void waiting(MembershipMessage.Waiting message) {
      seeds.isWaiting(message.address(), message.isFormed());
    }

    @Override
    public void refused(MembershipMessage.Refused message) {
      isRefused(message);
    }

    @Override
    public void heartbeat(MembershipMessage.Heartbeat message) {
      heard(message);
    }
  }

  /** The node's facts, with what it knows of others. */
  private GossipedNodeState facts() {
    return node.facts().with(members.owned());
  }

  private void tick() {
    lookAtOwnStatus();
    switch (phase) {
      case GREETING -> greet();
      case JOINING -> {
        if (isJoiningForLong()) {
          phase = Phase.GREETING;
          seeds.startOver();
        }
        waits.waitsFor(() -> "waits to be let in by the cluster's members");
      }
      case MEMBER -> {
        members.look();
        known.learnAgreed();
        formation.form(members.present(), seeds.isFirst());
        members.blocking(node.members()).forEach(this::giveUp);
        if (formation.isOpening() && !isReady) {
          waits.waitsFor(() -> "waits for the other nodes of the cluster");
        }
        GossipedNodeState facts = facts();
        tellOthers(facts);
        findOtherClusters(facts);
      }
    }
    publish();
  }

  private void tellOthers(GossipedNodeState facts) {
    MembershipMessage heartbeat = new MembershipMessage.Heartbeat(facts, members.heard());
    long now = node.nanoTime();
    boolean isProbing = now - probed > PROBE_EVERY.toNanos();
    probed = isProbing ? now : probed;
    // What is sent often to who is lost would pile up, and come when it is old.
    members.up().stream()
        .filter(address -> isProbing || !members.isLost(address))
        .sorted()
        .forEach(address -> actions.add(new Send(address, heartbeat)));
  }

  private void findOtherClusters(GossipedNodeState facts) {
    Set<String> reachable =
        members.up().stream().filter(members::isReachable).collect(Collectors.toSet());
    for (String seed : seeds.missing(reachable)) {
      actions.add(
          new Send(
              seed,
              new MembershipMessage.Greeting(facts, Optional.empty(), Optional.of(summary()))));
    }
  }

  private void giveUp(String lost) {
    actions.add(
        new MembershipAction.Log(
            "the node at %s is removed from the cluster: it can't be reached, and others wait for it"
                .formatted(lost)));
    actions.add(new MembershipAction.Remove(lost));
  }

  private void greet() {
    if (seeds.beginsHere(KnownPlan.isFormed(node.facts()))) {
      join(settings.endpoint().address());
      return;
    }
    GossipedNodeState facts = facts();
    Optional<DirectoryEpochs> epochs = facts.plan().map(plan -> new DirectoryEpochs(node.claims()));
    for (String address : seeds.asked()) {
      actions.add(
          new Send(address, new MembershipMessage.Greeting(facts, epochs, Optional.empty())));
    }
    waits.waitsForOthers(
        () ->
            "waits for one of the seeds %s, or the remembered members %s, to let it in, and serves nothing meanwhile; only a seed starts a cluster"
                .formatted(seeds.others(), seeds.remembered()));
  }

  private void join(String address) {
    phase = Phase.JOINING;
    joining = address;
    joiningSince = node.nanoTime();
    startup.reach(StartupTimings.Stage.ADMITTED);
    actions.add(new MembershipAction.Join(address));
    formation.open(node.facts().plan());
  }

  /**
   * Whether the member that has let this node in may be gone before it could join. A node that
   * begins a cluster itself needs nobody.
   */
  private boolean isJoiningForLong() {
    return phase == Phase.JOINING
        && !joining.equals(settings.endpoint().address())
        && node.nanoTime() - joiningSince > REJOIN_AFTER.toNanos();
  }

  private void greeted(MembershipMessage.Greeting greeting, Object sender) {
    refuse(known.olderThanHeard(greeting.facts()));
    if (phase == Phase.GREETING) {
      actions.add(
          new Answer(
              sender,
              new MembershipMessage.Waiting(
                  settings.endpoint().address(), KnownPlan.isFormed(node.facts()))));
    }
    if (phase == Phase.MEMBER && greeting.member().isPresent()) {
      ClusterSummary other = greeting.member().get();
      boolean isTogether = isMember(other);
      actions.add(new Answer(sender, new MembershipMessage.Welcome(summary(), isTogether)));
      compare(other, isTogether);
      return;
    }
    // Who has data is let in by who knows what the others have. It asks again.
    if (phase != Phase.MEMBER || (greeting.epochs().isPresent() && !hasHeardAll())) {
      return;
    }
    GossipedNodeState newcomer = greeting.facts();
    GossipedNodeState ours = facts();
    Optional<String> refusal =
        Admission.refusal(newcomer, ours, members.living(newcomer.name()), clock)
            .or(() -> KnownPlan.olderDirectory(greeting, ours));
    actions.add(
        new Answer(
            sender,
            refusal
                .<MembershipMessage>map(why -> new MembershipMessage.Refused(summary(), why))
                .orElseGet(() -> new MembershipMessage.Welcome(summary(), false))));
    refusal.ifPresent(why -> actions.add(new MembershipAction.Log("refused to let in: " + why)));
  }

  private void welcomed(MembershipMessage.Welcome welcome) {
    String address = welcome.member().address();
    if (phase == Phase.GREETING && seeds.isPreferred(address)) {
      join(address);
    } else if (phase == Phase.MEMBER) {
      compare(welcome.member(), welcome.isTogether());
    }
  }

  /**
   * A member has refused this node. The refusal is ignored if the member serves another store and
   * is no seed: a remembered address may belong to another cluster by now.
   */
  private void isRefused(MembershipMessage.Refused refused) {
    ClusterSummary member = refused.member();
    boolean isOfOtherStore =
        node.facts().plan().filter(own -> own.storeId() != member.storeId()).isPresent();
    if (phase == Phase.GREETING && (!isOfOtherStore || seeds.others().contains(member.address()))) {
      refuse(Optional.of(refused.reason()));
    }
  }

  private ClusterSummary summary() {
    return new ClusterSummary(
        settings.endpoint().address(),
        node.uid(),
        node.facts().plan().map(NodePlan::storeId).orElse(0L),
        members.present().size(),
        (node.nanoTime() - memberSince) / 1_000_000);
  }

  /** Whether a node is a member of this node's cluster, and not one that has its address now. */
  private boolean isMember(ClusterSummary other) {
    return node.members().stream()
        .anyMatch(
            member -> member.address().equals(other.address()) && member.uid() == other.uid());
  }

  /** Gives way to another cluster that should be this one, or says that there is one. */
  private void compare(ClusterSummary other, boolean isTogether) {
    if (!seeds.areApart(other.address(), isTogether)) {
      return;
    }
    ClusterSummary own = summary();
    String problem = CompetingClusters.problem(settings.name(), own, other);
    if (CompetingClusters.givesWay(own, other, seeds, members::isReachable)) {
      if (!own.isOfOtherStore(other)) {
        remembered.replace(other.address());
      }
      refuse(Optional.of(problem));
    } else {
      actions.add(new MembershipAction.Warn(problem));
    }
  }

  private void heard(MembershipMessage.Heartbeat heartbeat) {
    GossipedNodeState facts = heartbeat.facts();
    // What comes before this node is a member, or from who is none, may be for one that had its
    // address before: in another cluster, perhaps.
    if (phase != Phase.MEMBER
        || !members.up().contains(facts.address())
        || facts.protocol() != GossipedNodeState.PROTOCOL) {
      return;
    }
    if (!clock.admits(facts.clock())) {
      actions.add(
          new MembershipAction.Warn(
              "the clock of node %s is wrong, or this one's is: %s"
                  .formatted(facts.name(), ClockDrift.words(facts.clock(), clock))));
      return;
    }
    clock.observe(facts.clock());
    refuse(OwnershipConflict.ofNames(node.facts(), facts));
    refuse(known.olderThanHeard(facts));
    members.heard(facts, heartbeat.heard());
    facts.plan().ifPresent(this::learn);
    actions.add(new MembershipAction.Learn(facts));
    publish();
  }

  /** Adopts the plan of a member, or learns from it that the cluster was formed. */
  private void learn(NodePlan plan) {
    Optional<NodePlan> own = node.facts().plan();
    if (own.isEmpty()) {
      formation.adopt(plan, members.owned(), members.present(), hasHeardAll());
    } else {
      known.learn(own.get(), plan);
    }
  }

  private void refuse(Optional<String> reason) {
    reason.ifPresent(why -> actions.add(new Fail(new JoinRefusedException(why))));
  }

  /**
   * Finds out whether this node was let in or removed. Not only when an event says so: what is told
   * of the node itself may be older than the event, and no other may come.
   */
  private void lookAtOwnStatus() {
    MembershipContext.Status status = node.status();
    if (phase != Phase.MEMBER && status == MembershipContext.Status.MEMBER) {
      phase = Phase.MEMBER;
      startup.reach(StartupTimings.Stage.MEMBER);
      memberSince = node.nanoTime();
    }
    if (phase == Phase.MEMBER && status == MembershipContext.Status.REMOVED) {
      actions.add(new Fail(Admission.removed(settings.name())));
    }
  }

  /** Whether all members that answer have said who they are and what they have. */
  private boolean hasHeardAll() {
    return (members.up().contains(settings.endpoint().address()) && members.haveSpoken())
        || areSilent();
  }

  private boolean areSilent() {
    return node.nanoTime() - memberSince > SILENCE.toNanos();
  }

  /** Makes known who owns what. */
  private void publish() {
    GossipedNodeState self = node.facts();
    // A leader that was deposed learns it from the other copies.
    boolean existsOnce = !KnownPlan.isReplicated(self);
    refuse(OwnershipConflict.ofOwners(self.name(), KnownPlan.existsOnce(self), members.owned()));
    if (isOpen && existsOnce) {
      self.owned().stream()
          .filter(own -> own.node().equals(self.name()))
          .forEach(own -> opened.add(own.partition()));
      refuse(OwnershipConflict.ofMissing(self, opened, node.claims(), members.owned()));
    }
    members.note(self);
    int partitions = self.plan().map(plan -> plan.owners().size()).orElse(0);
    List<MembershipView.Owner> owners = members.owners(partitions);
    actions.add(
        new MembershipAction.Publish(
            owners,
            members.reachable(),
            members.moves(),
            members.up(),
            members.leaving(),
            members.away(),
            members.replicasUpToDate(),
            members.unserved()));
    boolean isWhole =
        isOpen
            && owners.stream().noneMatch(owner -> owner.node().isEmpty())
            && (existsOnce || KnownPlan.haveAllReplicas(self, members.present()));
    boolean hasBeenFormed = KnownPlan.isFormed(self);
    if (isWhole && !hasBeenFormed) {
      actions.add(new MembershipAction.MarkFormed());
    }
    if (isOpen) {
      remembered.update(owners, members.reachable().values());
    }
    if (!isReady
        && isOpen
        && phase == Phase.MEMBER
        && hasBeenFormed
        && members.present().stream().allMatch(KnownPlan::isFormed)
        && hasHeardAll()
        && (members.haveHeardOf(self) || areSilent())) {
      isReady = true;
      startup.reach(StartupTimings.Stage.READY);
      actions.add(new MembershipAction.Serve(startup.toString()));
    }
  }
}
