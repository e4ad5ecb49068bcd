package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.internal.link.Address;
import io.github.stablecut.internal.link.DataCentreInfo;
import io.github.stablecut.internal.link.JoinSender;
import io.github.stablecut.internal.link.LinkHost;
import io.github.stablecut.internal.link.PartitionSnapshotSender;
import io.github.stablecut.internal.link.Sockets;
import io.github.stablecut.internal.link.TcpTransport;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.replication.GroupState;
import io.github.stablecut.internal.replication.Replicator;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.transaction.datacentre.DataCentreAdmission;
import io.github.stablecut.internal.transaction.datacentre.ReplicationLag;
import io.github.stablecut.internal.transaction.routing.Partitions;
import io.github.stablecut.internal.transaction.routing.ReplicationSetup;
import io.github.stablecut.log.Log;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.DataCentres;
import io.github.stablecut.replication.ReplicationTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;

/**
 * Replicates the partitions of this process with other data centres, and manages the group.
 * Thread-safe.
 */
public final class EmbeddedReplication implements DataCentres, LinkHost, AutoCloseable {
  private static final Logger LOG = Log.of(EmbeddedReplication.class);
  private static final long CONNECTED_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final ReplicationSetup setup;
  private final Partitions partitions;
  private final GroupState group;
  private final DataCentreAdmission admission;
  private final FaultLog faults = new FaultLog();
  private final Optional<TcpTransport> tcp;
  private final Replicator replicator;
  private final ReplicationLag lag;

  /**
   * The reason why this data centre may no longer take part: its directory was restored to an older
   * state; empty otherwise.
   */
  private volatile Optional<String> setBack = Optional.empty();

  /** Whether this data centre leaves its group, or has left: it refuses commits for that reason. */
  private volatile boolean isLeaving;

  /** Empty until the store serves. */
  private volatile Optional<RightsExchange> rights = Optional.empty();

  /** Starts replication. */
  static EmbeddedReplication start(ReplicationSetup setup, Partitions partitions) {
    EmbeddedReplication replication = new EmbeddedReplication(setup, partitions);
    try {
      replication.begin();
      return replication;
    } catch (RuntimeException | Error e) {
      replication.close();
      throw e;
    }
  }

  @SuppressWarnings("this-escape") // the transport calls this only once it is opened
  private EmbeddedReplication(ReplicationSetup setup, Partitions partitions) {
    this.setup = setup;
    this.partitions = partitions;
    this.group =
        new GroupState(
            setup.identity().dataCentre().number(), setup.membership(), this::keepFor, this::save);
    this.admission =
        new DataCentreAdmission(setup, partitions, group, this::checkNotSetBack, this::isHeard);
    this.lag =
        new ReplicationLag(
            group,
            partitions::local,
            setup.options().maxLag(),
            admission::isAdmitting,
            System::nanoTime);
    this.tcp = setup.options().listen().map(this::listen);
    ReplicationTransport transport =
        tcp.map(ReplicationTransport.class::cast)
            .or(() -> setup.options().transport())
            .orElseThrow();
    try {
      this.replicator =
          new Replicator(
              partitions.size(),
              group,
              partitions::newest,
              setup.place().arrivals(),
              setup.options().around().apply(transport),
              wanted -> rights.ifPresent(exchange -> exchange.received(wanted)),
              setup.place()::openingAt,
              this::setBack,
              this::everySecond);
    } catch (RuntimeException | Error e) {
      // The wrapped transport belongs to the user.
      tcp.ifPresent(TcpTransport::close);
      throw e;
    }
  }

  private TcpTransport listen(String address) {
    try {
      Sockets sockets = new Sockets(setup.options().tls());
      return new TcpTransport(sockets, Address.parse(address), seeds(), this, faults);
    } catch (IOException e) {
      throw new StoreIoException(
          "the store can't be a data centre: %s; choose another address, or stop the process that uses it"
              .formatted(IoReason.of(e)),
          e);
    }
  }

  private List<Address> seeds() {
    return setup.options().joins().stream().map(Address::parse).toList();
  }

  private void begin() {
    announce();
    partitions.local().forEach(this::opened);
    replicator.start();
  }

  private void everySecond() {
    announce();
    lag.detachLagging();
  }

  /** Announces the addresses of this data centre to the others. */
  private void announce() {
    tcp.flatMap(opened -> setup.place().addresses(address()))
        .ifPresent(addresses -> group.announce(String.join(",", addresses)));
  }

  /** Starts to replicate a partition that was opened in this process. */
  public void opened(Partition partition) {
    if (setup.options().isReadOnly() || isDetached(group.known())) {
      openToCommits(partition);
    }
    group.whileUnchanged(
        () -> {
          keepFor(group.known(), List.of(partition));
          replicator.add(partition);
        });
  }

  /**
   * Makes a local partition accept transactions, unless this data centre is read-only or detached.
   */
  public void openToCommits(Partition partition) {
    if (setup.options().isReadOnly()) {
      partition.streams().closeOwn(readOnlyReason());
    } else if (isDetached(group.known())) {
      partition.streams().closeOwn(detachedReason());
    } else {
      partition.streams().reopenOwn();
    }
  }

  private boolean isDetached(Membership membership) {
    return !membership.member(setup.identity().dataCentre().number()).takesPart();
  }

  private String detachedReason() {
    return "data centre %d was detached from its group and accepts no more commits, because no other data centre would get them: open this store without replication and export what the others lack, then join again with an empty directory"
        .formatted(own());
  }

  /** Makes a membership durable. If this data centre is detached in it, commits are refused. */
  private void save(Membership membership) {
    setup.place().save(membership);
    if (isDetached(membership) && !isLeaving) {
      partitions.local().forEach(partition -> partition.streams().closeOwn(detachedReason()));
    }
  }

  private String readOnlyReason() {
    return "data centre %d is a read-only replica: write at another one, or open it without readOnly (replication.read-only)"
        .formatted(own());
  }

  /** Stops replicating a partition that is about to be closed. */
  public void closing(int partition) {
    replicator.remove(partition);
  }

  /** Notifies replication that another node has committed or received something. */
  public void onActivity() {
    replicator.onActivity();
  }

  /** The known membership of the group. */
  public Membership known() {
    return group.known();
  }

  /** Merges what another node of this data centre knows of the group. */
  public void learn(Membership known) {
    group.learn(known);
  }

  @Override
  public String address() {
    return advertised(tcp.orElseThrow().port());
  }

  private String advertised(int port) {
    return setup.options().advertised().orElseGet(() -> reachable(port));
  }

  private String reachable(int port) {
    Address listening = Address.parse(setup.options().listen().orElseThrow());
    try {
      return InetAddress.getByName(listening.host()).isAnyLocalAddress()
          ? new Address(InetAddress.getLocalHost().getHostName(), port).toString()
          : new Address(listening.host(), port).toString();
    } catch (IOException e) {
      throw new StoreIoException(
          "this machine's host name is unknown: set the address that others connect to (withAdvertised)",
          e);
    }
  }

  private void keepFor(Membership membership) {
    keepFor(membership, partitions.local());
  }

  private void keepFor(Membership membership, List<Partition> kept) {
    for (int number : membership.members().keySet()) {
      if (number != setup.identity().dataCentre().number()) {
        kept.forEach(partition -> partition.streams().keepFor(number));
      }
    }
  }

  /** Starts to exchange rights of bounded counters with other data centres. */
  void exchangeRights(EmbeddedStore store) {
    RightsExchange exchange = new RightsExchange(store, group, replicator::askForRights, faults);
    exchange.start();
    rights = Optional.of(exchange);
  }

  /**
   * Requests from other data centres the rights that a decrement lacked. A read-only replica
   * requests none: it refuses all writes.
   *
   * @param snapshot the snapshot of the decrement
   * @return the refusal; its message names the data centres that were asked, if any
   */
  UsageException askForRights(Bytes counter, VectorClock snapshot, MissingRightsException refusal) {
    if (setup.options().isReadOnly()) {
      return new ReplicationRefusedException(readOnlyReason(), refusal);
    }
    return rights.isPresent() ? rights.get().ask(counter, snapshot, refusal) : refusal;
  }

  /**
   * Stops this data centre because its directory was restored to an older state. New commits would
   * diverge from what others have of this data centre, and its snapshots lack what theirs depend
   * on. It no longer sends, receives or commits, even after a restart.
   *
   * @param other the data centre that has transactions of this one that this one lacks
   */
  private synchronized void setBack(int other) {
    if (setBack.isPresent()) {
      return;
    }
    String why =
        "data centre %d has transactions that this one, %d, issued and lacks, so the directory was restored to an older state: detach data centre %d at another one, open this store without replication and export what the others lack, then join again with an empty directory"
            .formatted(other, own(), own());
    setBack = Optional.of(why);
    group.stop();
    partitions.local().forEach(partition -> partition.streams().closeOwn(why));
    LOG.error("{}", why);
    setup.place().files().setBack(why);
  }

  private void checkNotSetBack() {
    if (setBack.isPresent()) {
      throw new ReplicationRefusedException(setBack.get());
    }
  }

  /** Whether the group has no other data centres. */
  boolean isAlone() {
    return group.known().members().size() == 1;
  }

  @Override
  public int own() {
    return group.own();
  }

  @Override
  public long store() {
    return setup.identity().id();
  }

  @Override
  public long group() {
    return group.known().group();
  }

  @Override
  public OptionalInt port() {
    return tcp.map(opened -> OptionalInt.of(opened.port())).orElse(OptionalInt.empty());
  }

  @Override
  public Map<Integer, List<String>> others() {
    Map<Integer, List<String>> addresses = new HashMap<>();
    group
        .known()
        .members()
        .forEach(
            (number, member) -> {
              if (number != own()) {
                addresses.put(number, member.addresses());
              }
            });
    return addresses;
  }

  @Override
  public boolean isMember(int number, long store) {
    Member member = group.known().members().get(number);
    return member != null && member.storeId() == store;
  }

  @Override
  public Optional<String> joinsElsewhere() {
    int allocator = group.known().allocator();
    return allocator == own()
        ? setup.place().admitsElsewhere()
        : group.known().member(allocator).addresses().stream().findFirst();
  }

  @Override
  public void join(JoinSender sender) throws IOException {
    admission.join(sender);
  }

  @Override
  public void cut(int partition, PartitionSnapshotSender sender) throws IOException {
    admission.cut(partition, sender);
  }

  @Override
  public int invite(Path target) {
    return admission.invite(target);
  }

  @Override
  public void detach(int number) {
    if (number == own()) {
      throw new IllegalArgumentException(
          "data centre %d can't detach itself: do it at another one".formatted(number));
    }
    group.detach(number);
    LOG.warn("data centre {} was detached", number);
  }

  @Override
  public boolean isCluster() {
    return setup.place().isCluster();
  }

  @Override
  public boolean isNew() {
    return isAlone() && partitions.areLocalNew() && setup.place().areOthersNew();
  }

  @Override
  public void leave(Duration atMost) {
    checkNotSetBack();
    if (isAlone() || !group.known().member(own()).takesPart()) {
      throw new ReplicationRefusedException(
          "data centre %d has no group to leave".formatted(own()));
    }
    long deadlineNanos = System.nanoTime() + atMost.toNanos();
    boolean hasLeft = false;
    isLeaving = true;
    try {
      awaitAllDurableElsewhere(deadlineNanos, atMost);
      group.detach(own());
      hasLeft = true;
    } finally {
      if (!hasLeft) {
        isLeaving = false;
        partitions.local().forEach(this::openToCommits);
      }
    }
    LOG.info("data centre {} has left its group", own());
    // The departure is announced repeatedly; after this wait the caller may close the store.
    while (!replicator.isKnownToAll() && System.nanoTime() - deadlineNanos < 0) {
      LockSupport.parkNanos(this, POLL_NANOS);
    }
  }

  private void awaitAllDurableElsewhere(long deadlineNanos, Duration atMost) {
    while (true) {
      Optional<String> lacking =
          partitions.local().stream()
              .flatMap(partition -> prepareToLeave(partition).stream())
              .findFirst()
              .or(setup.place()::lackingElsewhere);
      if (lacking.isEmpty()) {
        return;
      }
      if (System.nanoTime() - deadlineNanos > 0 || Thread.currentThread().isInterrupted()) {
        throw new ReplicationRefusedException(
            "data centre %d has not left within %s: %s"
                .formatted(own(), DurationWords.of(atMost), lacking.get()));
      }
      LockSupport.parkNanos(this, POLL_NANOS);
    }
  }

  /**
   * Stops transactions on a local partition because the data centre leaves its group.
   *
   * @return why it can't leave yet; empty if the others have everything committed there
   */
  public Optional<String> prepareToLeave(Partition partition) {
    partition
        .streams()
        .closeOwn(
            "data centre %d is leaving its group and accepts no more transactions: use another one"
                .formatted(own()));
    if (partition.openTransactions() > 0 || !partition.inDoubt().isEmpty()) {
      return Optional.of(
          "transactions are open on partition %d: check that its nodes are reachable"
              .formatted(partition.number()));
    }
    return group.known().others(own()).stream()
        .filter(
            other ->
                partition.streams().acknowledged(other).get(own()) < partition.streams().lastOwn())
        .findFirst()
        .map(
            other ->
                "data centre %d still lacks transactions that were committed here; check that it is reachable, or detach it first"
                    .formatted(other));
  }

  /** Whether this data centre is an active member of its group. */
  public boolean takesPart() {
    return group.takesPart();
  }

  @Override
  public DataCentreInfo about() {
    StoreIdentity identity = setup.identity();
    return new DataCentreInfo(group(), identity.id(), own(), identity.partitions(), isNew());
  }

  @Override
  public List<DataCentre> all() {
    List<DataCentre> all = new ArrayList<>();
    group.known().members().forEach((number, member) -> all.add(dataCentre(number, member)));
    return List.copyOf(all);
  }

  private DataCentre dataCentre(int number, Member member) {
    boolean isHeard = number == own() || isConnectedOnly(number) || isHeard(number);
    return DataCentre.builder(
            number, member.storeId(), DataCentre.State.valueOf(member.state().name()))
        .address(Optional.of(member.address()).filter(address -> !address.isEmpty()))
        .isReachable(isHeard)
        .received(least(partition -> partition.streams().reached().get(number)))
        .acknowledged(
            number == own()
                ? partitions.now()
                : least(partition -> partition.streams().acknowledged(number).get(own())))
        .lag(lag.behind(number), lag.untilDetached(number))
        .problem(
            isHeard
                ? Optional.empty()
                : tcp.flatMap(opened -> opened.problems(number).stream().findFirst()))
        .build();
  }

  private boolean isHeard(int number) {
    OptionalLong heardAt = replicator.heardAt(number);
    return heardAt.isPresent() && System.nanoTime() - heardAt.getAsLong() <= CONNECTED_NANOS;
  }

  /**
   * Whether a node without partitions, which receives no replication messages, is connected to a
   * data centre.
   */
  private boolean isConnectedOnly(int number) {
    return partitions.local().isEmpty()
        && tcp.filter(opened -> opened.isConnected(number)).isPresent();
  }

  /** Returns the least value of a time over the partitions. */
  private Instant least(ToLongFunction<Partition> time) {
    long least = partitions.local().stream().mapToLong(time).min().orElse(0);
    return Instant.ofEpochMilli(Timestamp.epochMillis(least));
  }

  /** The current problems, one sentence each. */
  List<String> problems() {
    List<String> problems = new ArrayList<>(faults.describe());
    problems.addAll(replicator.problems());
    setBack.ifPresent(problems::add);
    problems.addAll(lag.problems());
    tcp.ifPresent(opened -> addProblems(opened, problems));
    return problems;
  }

  private void addProblems(TcpTransport opened, List<String> problems) {
    group.known().others(own()).forEach(number -> problems.addAll(opened.problems(number)));
    if (!opened.isConnected()) {
      problems.addAll(opened.problemsOfSeeds());
    }
  }

  @Override
  public void close() {
    rights.ifPresent(RightsExchange::close);
    replicator.close();
  }
}
