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
 * The membership of a node as a state machine: takes events, returns actions, and has no other
 * effects. It requests admission, joins, forms a new cluster if the node is the first seed, sends
 * heartbeats, removes lost members that block others, and tracks the owners of partitions. Confined
 * to one thread.
 */
public final class Membership {
  /** The interval of heartbeats to a lost member. */
  private static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);

  /**
   * The time for which a new member waits for each other member's heartbeat and acknowledgement.
   */
  private static final Duration FIRST_HEARTBEAT_TIMEOUT = Duration.ofSeconds(10);

  /**
   * The time after which a node that is joining starts over: the admitting member may have failed.
   */
  private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(10);

  private enum Phase {
    /** Requests admission. */
    GREETING,
    /** Was admitted, and joins Akka's cluster. */
    JOINING,
    /** Is a member. */
    MEMBER
  }

  private final NodeSettings settings;
  private final MembershipContext node;
  private final NodeClock clock;
  private final Members members;
  private final WaitReporter waitReporter;
  private final ClusterFormation formation;
  private final KnownPlan knownPlan;
  private final RememberedMembers rememberedMembers;
  private final Seeds seeds;
  private final StartupTimings startup;
  private final List<MembershipAction> actions = new ArrayList<>();

  /** The partitions that the node has had open since it started. */
  private final Set<Integer> everOpened = new HashSet<>();

  private Phase phase = Phase.GREETING;

  /** The address of the member through which the node joins. */
  private String joinAddress = "";

  private long joinStartedNanos;
  private long memberSinceNanos;
  private long lastProbeNanos;
  private boolean isOpen;
  private boolean isReady;

  /**
   * @param node is queried while an event is handled
   * @param clock the node's clock
   */
  public Membership(NodeSettings settings, MembershipContext node, NodeClock clock) {
    this.settings = settings;
    this.node = node;
    this.clock = clock;
    String address = settings.endpoint().address();
    this.members = new Members(address, node::nanoTime);
    this.waitReporter = new WaitReporter(settings, node::nanoTime, node::tlsRefusal, actions::add);
    this.formation = new ClusterFormation(settings, node::newStoreId, actions::add, waitReporter);
    this.knownPlan = new KnownPlan(settings.name(), node, actions::add);
    this.rememberedMembers = new RememberedMembers(node, address, actions::add);
    this.seeds =
        new Seeds(
            settings.forming().seeds(), address, rememberedMembers.addresses(), node::nanoTime);
    this.startup = new StartupTimings(node::nanoTime);
  }

  /** Handles an event, and returns the resulting actions in order. */
  public List<MembershipAction> on(MembershipEvent event) {
    event.handTo(new Events());
    if (actions.stream().anyMatch(Fail.class::isInstance)) {
      // A failing node must not record a newer plan: its directory may be outdated.
      actions.removeIf(MembershipAction.Update.class::isInstance);
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
      members.add(event.address());
      membersChanged();
    }

    @Override
    public void suspected(MembershipEvent.Suspected event) {
      members.suspect(event.address());
      membersChanged();
    }

    @Override
    public void trusted(MembershipEvent.Trusted event) {
      members.trust(event.address());
      membersChanged();
    }

    @Override
    public void downed(MembershipEvent.Downed event) {
      members.forget(event.address());
      membersChanged();
    }

    @Override
    public void removed(MembershipEvent.Removed event) {
      members.remove(event.address());
      membersChanged();
    }

    @Override
    public void changed(MembershipEvent.Changed event) {
      membersChanged();
    }

    @Override
    public void quarantined(MembershipEvent.Quarantined event) {
      actions.add(new Fail(Admission.removedFailure(settings.name())));
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
    checkOwnStatus();
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
      onGreeting(message, sender);
    }

    @Override
    public void welcome(MembershipMessage.Welcome message) {
      onWelcome(message);
    }

    @Override
    public void waiting(MembershipMessage.Waiting message) {
      seeds.recordWaiting(message.address(), message.isFormed());
    }

    @Override
    public void refused(MembershipMessage.Refused message) {
      onRefused(message);
    }

    @Override
    public void heartbeat(MembershipMessage.Heartbeat message) {
      onHeartbeat(message);
    }
  }

  /** The node's state, with its knowledge of the other nodes' partitions. */
  private GossipedNodeState stateWithOwners() {
    return node.facts().with(members.owned());
  }

  private void tick() {
    checkOwnStatus();
    switch (phase) {
      case GREETING -> requestAdmission();
      case JOINING -> {
        if (hasJoinTimedOut()) {
          phase = Phase.GREETING;
          seeds.startOver();
        }
        waitReporter.reportWait(() -> "waits until it is a member of the cluster");
      }
      case MEMBER -> {
        members.updateLost();
        knownPlan.learnAgreedPlan();
        formation.form(members.present(), seeds.isFirst());
        members.blocking(node.members()).forEach(this::removeLost);
        if (formation.isOpening() && !isReady) {
          waitReporter.reportWait(() -> "waits for the other nodes of the cluster");
        }
        GossipedNodeState facts = stateWithOwners();
        sendHeartbeats(facts);
        probeOtherClusters(facts);
      }
    }
    publish();
  }

  private void sendHeartbeats(GossipedNodeState facts) {
    MembershipMessage heartbeat = new MembershipMessage.Heartbeat(facts, members.heardAddresses());
    long nowNanos = node.nanoTime();
    boolean isProbing = nowNanos - lastProbeNanos > PROBE_INTERVAL.toNanos();
    lastProbeNanos = isProbing ? nowNanos : lastProbeNanos;
    // Frequent messages to a lost member would pile up, and arrive stale.
    members.addresses().stream()
        .filter(address -> isProbing || !members.isLost(address))
        .sorted()
        .forEach(address -> actions.add(new Send(address, heartbeat)));
  }

  private void probeOtherClusters(GossipedNodeState facts) {
    Set<String> reachable =
        members.addresses().stream().filter(members::isReachable).collect(Collectors.toSet());
    for (String seed : seeds.takeSeedsToProbe(reachable)) {
      actions.add(
          new Send(
              seed,
              new MembershipMessage.Greeting(facts, Optional.empty(), Optional.of(summary()))));
    }
  }

  private void removeLost(String lost) {
    actions.add(
        new MembershipAction.Log(
            "removing the node at %s from the cluster: it is unreachable, and blocks the other members"
                .formatted(lost)));
    actions.add(new MembershipAction.Remove(lost));
  }

  private void requestAdmission() {
    if (seeds.startsCluster(KnownPlan.isFormed(node.facts()))) {
      join(settings.endpoint().address());
      return;
    }
    GossipedNodeState facts = stateWithOwners();
    Optional<DirectoryEpochs> epochs = facts.plan().map(plan -> new DirectoryEpochs(node.claims()));
    for (String address : seeds.contacts()) {
      actions.add(
          new Send(address, new MembershipMessage.Greeting(facts, epochs, Optional.empty())));
    }
    waitReporter.reportWaitForNodes(
        () ->
            "waits for one of the seeds %s or the remembered members %s to admit it, and serves nothing until then; only a seed starts a cluster"
                .formatted(seeds.others(), seeds.remembered()));
  }

  private void join(String address) {
    phase = Phase.JOINING;
    joinAddress = address;
    joinStartedNanos = node.nanoTime();
    startup.reach(StartupTimings.Stage.ADMITTED);
    actions.add(new MembershipAction.Join(address));
    formation.open(node.facts().plan());
  }

  /**
   * Whether joining has taken too long: the admitting member may have failed. A node that starts a
   * cluster itself needs no other.
   */
  private boolean hasJoinTimedOut() {
    return phase == Phase.JOINING
        && !joinAddress.equals(settings.endpoint().address())
        && node.nanoTime() - joinStartedNanos > JOIN_TIMEOUT.toNanos();
  }

  private void onGreeting(MembershipMessage.Greeting greeting, Object sender) {
    failIfPresent(knownPlan.ownDirectoryRefusal(greeting.facts()));
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
      resolveCompetition(other, isTogether);
      return;
    }
    // Admitting a node with data needs knowledge of all members' partitions. The node retries.
    if (phase != Phase.MEMBER || (greeting.epochs().isPresent() && !hasHeardAll())) {
      return;
    }
    GossipedNodeState newcomer = greeting.facts();
    GossipedNodeState own = stateWithOwners();
    Optional<String> refusal =
        Admission.refusal(newcomer, own, members.reachableAddress(newcomer.name()), clock)
            .or(() -> KnownPlan.directoryRefusal(greeting, own));
    actions.add(
        new Answer(
            sender,
            refusal
                .<MembershipMessage>map(why -> new MembershipMessage.Refused(summary(), why))
                .orElseGet(() -> new MembershipMessage.Welcome(summary(), false))));
    refusal.ifPresent(why -> actions.add(new MembershipAction.Log("refused admission: " + why)));
  }

  private void onWelcome(MembershipMessage.Welcome welcome) {
    String address = welcome.member().address();
    if (phase == Phase.GREETING && seeds.acceptsAdmissionBy(address)) {
      join(address);
    } else if (phase == Phase.MEMBER) {
      resolveCompetition(welcome.member(), welcome.isTogether());
    }
  }

  /**
   * Handles a member's refusal. Ignores it if the member serves another store and is not a seed: a
   * remembered address may now belong to another cluster.
   */
  private void onRefused(MembershipMessage.Refused refused) {
    ClusterSummary member = refused.member();
    boolean isOfOtherStore =
        node.facts().plan().filter(own -> own.storeId() != member.storeId()).isPresent();
    if (phase == Phase.GREETING && (!isOfOtherStore || seeds.others().contains(member.address()))) {
      failIfPresent(Optional.of(refused.reason()));
    }
  }

  private ClusterSummary summary() {
    return new ClusterSummary(
        settings.endpoint().address(),
        node.uid(),
        node.facts().plan().map(NodePlan::storeId).orElse(0L),
        members.present().size(),
        (node.nanoTime() - memberSinceNanos) / 1_000_000);
  }

  /** Whether this very node, not just one at its address, is a member of this node's cluster. */
  private boolean isMember(ClusterSummary other) {
    return node.members().stream()
        .anyMatch(
            member -> member.address().equals(other.address()) && member.uid() == other.uid());
  }

  /** Gives way to a competing cluster with the same seeds, or warns about it. */
  private void resolveCompetition(ClusterSummary other, boolean isTogether) {
    if (!seeds.updateApart(other.address(), isTogether)) {
      return;
    }
    ClusterSummary own = summary();
    String problem = CompetingClusters.problem(settings.name(), own, other);
    if (CompetingClusters.givesWay(own, other, seeds, members::isReachable)) {
      if (!own.isOfOtherStore(other)) {
        rememberedMembers.replace(other.address());
      }
      failIfPresent(Optional.of(problem));
    } else {
      actions.add(new MembershipAction.Warn(problem));
    }
  }

  private void onHeartbeat(MembershipMessage.Heartbeat heartbeat) {
    GossipedNodeState facts = heartbeat.facts();
    // Before this node is a member, or from a sender that is not, a heartbeat may be intended for
    // an
    // earlier node at this address, perhaps in another cluster.
    if (phase != Phase.MEMBER
        || !members.addresses().contains(facts.address())
        || facts.protocol() != GossipedNodeState.PROTOCOL) {
      return;
    }
    if (!clock.admits(facts.clock())) {
      actions.add(
          new MembershipAction.Warn(
              "the clock of node %s or of this node is wrong: %s"
                  .formatted(facts.name(), ClockDrift.words(facts.clock(), clock))));
      return;
    }
    clock.observe(facts.clock());
    failIfPresent(OwnershipConflict.ofNames(node.facts(), facts));
    failIfPresent(knownPlan.ownDirectoryRefusal(facts));
    members.recordHeartbeat(facts, heartbeat.receivedFrom());
    facts.plan().ifPresent(this::learn);
    actions.add(new MembershipAction.Learn(facts));
    publish();
  }

  /** Adopts a member's plan, or updates this node's own plan with it. */
  private void learn(NodePlan plan) {
    Optional<NodePlan> own = node.facts().plan();
    if (own.isEmpty()) {
      formation.adopt(plan, members.owned(), members.present(), hasHeardAll());
    } else {
      knownPlan.learn(own.get(), plan);
    }
  }

  private void failIfPresent(Optional<String> reason) {
    reason.ifPresent(why -> actions.add(new Fail(new JoinRefusedException(why))));
  }

  /**
   * Checks whether this node has become a member or was removed. Polled, and not only on events:
   * the status may lag behind an event, and no further event may follow.
   */
  private void checkOwnStatus() {
    MembershipContext.Status status = node.status();
    if (phase != Phase.MEMBER && status == MembershipContext.Status.MEMBER) {
      phase = Phase.MEMBER;
      startup.reach(StartupTimings.Stage.MEMBER);
      memberSinceNanos = node.nanoTime();
    }
    if (phase == Phase.MEMBER && status == MembershipContext.Status.REMOVED) {
      actions.add(new Fail(Admission.removedFailure(settings.name())));
    }
  }

  /** Whether all reachable members have sent their state, or had enough time to. */
  private boolean hasHeardAll() {
    return (members.addresses().contains(settings.endpoint().address())
            && members.areAllIntroduced())
        || hasFirstHeartbeatTimedOut();
  }

  private boolean hasFirstHeartbeatTimedOut() {
    return node.nanoTime() - memberSinceNanos > FIRST_HEARTBEAT_TIMEOUT.toNanos();
  }

  /** Publishes the owners of partitions, and advances the formation and readiness of the node. */
  private void publish() {
    GossipedNodeState self = node.facts();
    // With replicas there is no conflict: a deposed leader learns of it from the other replicas.
    boolean existsOnce = !KnownPlan.isReplicated(self);
    failIfPresent(
        OwnershipConflict.ofOwners(
            self.name(), KnownPlan.unreplicatedPartitions(self), members.owned()));
    if (isOpen && existsOnce) {
      self.owned().stream()
          .filter(own -> own.node().equals(self.name()))
          .forEach(own -> everOpened.add(own.partition()));
      failIfPresent(OwnershipConflict.ofMissing(self, everOpened, node.claims(), members.owned()));
    }
    members.record(self);
    int partitions = self.plan().map(plan -> plan.owners().size()).orElse(0);
    List<MembershipView.Owner> owners = members.owners(partitions);
    actions.add(
        new MembershipAction.Publish(
            owners,
            members.unserved(),
            members.reachable(),
            members.moves(),
            new MembershipAction.PublishedMembers(
                members.addresses(),
                members.reachableNames(),
                members.leaving(),
                members.unreachable()),
            new MembershipAction.PublishedReplicas(
                members.replicasUpToDate(), members.shortages())));
    boolean isWhole =
        isOpen
            && owners.stream().noneMatch(owner -> owner.node().isEmpty())
            && (existsOnce || KnownPlan.haveAllReplicaDirectories(self, members.present()));
    boolean hasBeenFormed = KnownPlan.isFormed(self);
    if (isWhole && !hasBeenFormed) {
      actions.add(new MembershipAction.MarkFormed());
    }
    if (isOpen) {
      rememberedMembers.update(owners, members.reachable().values());
    }
    if (!isReady
        && isOpen
        && phase == Phase.MEMBER
        && hasBeenFormed
        && members.present().stream().allMatch(KnownPlan::isFormed)
        && hasHeardAll()
        && (members.areAllAwareOf(self) || hasFirstHeartbeatTimedOut())) {
      isReady = true;
      startup.reach(StartupTimings.Stage.READY);
      actions.add(new MembershipAction.Serve(startup.toString()));
    }
  }
}
