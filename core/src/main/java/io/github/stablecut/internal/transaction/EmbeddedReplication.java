package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.link.Address;
import io.github.stablecut.internal.link.JoinSender;
import io.github.stablecut.internal.link.Sockets;
import io.github.stablecut.internal.link.TcpTransport;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.recovery.Lineage;
import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.replication.Group;
import io.github.stablecut.internal.replication.Replicator;
import io.github.stablecut.internal.thread.Faults;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.DataCentres;
import io.github.stablecut.replication.Replication;
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
import org.slf4j.LoggerFactory;

/** The replication of a store in this process, and its group. Thread-safe. */
final class EmbeddedReplication implements DataCentres, TcpTransport.Party, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedReplication.class);
  private static final long HEARD_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Setup setup;
  private final Partitions partitions;
  private final Group group;
  private final Invitations invitations;
  private final Faults faults = new Faults();
  private final Optional<TcpTransport> tcp;
  private final Replicator replicator;
  private final Lag lag;

  /** Why this data centre can't go on, because its directory was put back; empty if it can. */
  private volatile Optional<String> setBack = Optional.empty();

  /** Empty until the store serves. */
  private volatile Optional<RightsExchange> rights = Optional.empty();

  /**
   * What a store's replication is made of.
   *
   * @param directory whose files say which data centres there are; locked
   * @param membership which there are
   * @param checkpoints the checkpoint files of each partition
   * @param lineage the openings of the store
   */
  record Setup(
      StoreDirectory directory,
      Membership membership,
      List<Directory> checkpoints,
      Lineage lineage,
      Replication options) {
    StoreIdentity identity() {
      return directory.identity();
    }
  }

  /** Begins to replicate. */
  static EmbeddedReplication start(Setup setup, Partitions partitions) {
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
  private EmbeddedReplication(Setup setup, Partitions partitions) {
    this.setup = setup;
    this.partitions = partitions;
    this.group =
        new Group(
            setup.identity().dataCentre().number(),
            setup.membership(),
            this::keepFor,
            setup.directory()::save);
    this.invitations = new Invitations(setup, partitions, group, this::checkNotSetBack);
    this.lag = new Lag(group, partitions.local(), setup.options().maxLag());
    this.tcp = setup.options().listen().map(this::listen);
    ReplicationTransport transport =
        tcp.map(ReplicationTransport.class::cast)
            .or(() -> setup.options().transport())
            .orElseThrow();
    try {
      this.replicator =
          new Replicator(
              partitions.local(),
              group,
              partitions::newest,
              setup.options().around().apply(transport),
              wanted -> rights.ifPresent(exchange -> exchange.wanted(wanted)),
              setup.lineage()::openingAt,
              this::setBack,
              lag::detachWhoLags);
    } catch (RuntimeException | Error e) {
      // What is put around it is the user's.
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
          "the store can't be a data centre: %s; choose another address, or end what uses it"
              .formatted(IoReason.of(e)),
          e);
    }
  }

  private List<Address> seeds() {
    return setup.options().joins().stream().map(Address::parse).toList();
  }

  private void begin() {
    tcp.ifPresent(opened -> group.announce(advertised(opened.port())));
    replicator.start();
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
          "the name of this machine is not known: say where others reach it (withAdvertised)", e);
    }
  }

  private void keepFor(Membership membership) {
    for (int number : membership.members().keySet()) {
      if (number != own()) {
        partitions.local().forEach(partition -> partition.streams().keepFor(number));
      }
    }
  }

  /** From now on grants rights of bounded counters to others, from a store, and asks for some. */
  void exchangeRights(EmbeddedStore store) {
    RightsExchange exchange = new RightsExchange(store, group, replicator::askForRights, faults);
    exchange.start();
    rights = Optional.of(exchange);
  }

  /**
   * Asks others for the rights that a decrement lacked.
   *
   * @param snapshot where it lacked them
   * @return the refusal, which says whom, if anybody was asked
   */
  MissingRightsException askForRights(
      Bytes counter, VectorClock snapshot, MissingRightsException refusal) {
    return rights.map(exchange -> exchange.ask(counter, snapshot, refusal)).orElse(refusal);
  }

  /**
   * The directory was put back to an older state. What this data centre would commit follows
   * something else than what others have of it, and its snapshots lack what theirs depend on: it
   * sends, takes and commits nothing any more, also after a restart.
   *
   * @param other has transactions of this data centre that are not here
   */
  private synchronized void setBack(int other) {
    if (setBack.isPresent()) {
      return;
    }
    String why =
        "data centre %d has transactions of this one, %d, that are not here, so the directory was put back to an older state: detach data centre %d at another one, open the store here without replication and export what the others lack, then join again with an empty directory"
            .formatted(other, own(), own());
    setBack = Optional.of(why);
    group.stop();
    partitions.local().forEach(partition -> partition.streams().closeOwn(why));
    LOG.error("{}", why);
    setup.directory().setBack(why);
  }

  private void checkNotSetBack() {
    if (setBack.isPresent()) {
      throw new ReplicationRefusedException(setBack.get());
    }
  }

  /** Whether there are no others. */
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
  public Map<Integer, Address> others() {
    Map<Integer, Address> addresses = new HashMap<>();
    group
        .known()
        .members()
        .forEach(
            (number, member) -> {
              if (number != own() && !member.address().isEmpty()) {
                addresses.put(number, Address.parse(member.address()));
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
    String address = group.known().member(allocator).address();
    return allocator == own() || address.isEmpty() ? Optional.empty() : Optional.of(address);
  }

  @Override
  public void join(JoinSender sender) throws IOException {
    invitations.join(sender);
  }

  @Override
  public int invite(Path target) {
    return invitations.invite(target);
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
  public boolean isNew() {
    return isAlone() && partitions.isNew();
  }

  @Override
  public void leave(Duration atMost) {
    checkNotSetBack();
    if (isAlone() || !group.known().member(own()).takesPart()) {
      throw new ReplicationRefusedException(
          "data centre %d is in no group that it could leave".formatted(own()));
    }
    long deadline = System.nanoTime() + atMost.toNanos();
    String why =
        "data centre %d leaves its group and takes no transactions any more: use another one"
            .formatted(own());
    partitions.local().forEach(partition -> partition.streams().closeOwn(why));
    boolean hasLeft = false;
    try {
      awaitAllTaken(deadline, atMost);
      group.detach(own());
      hasLeft = true;
    } finally {
      if (!hasLeft) {
        partitions.local().forEach(partition -> partition.streams().reopenOwn());
      }
    }
    LOG.info("data centre {} has left its group", own());
    // They are told again and again; who waits here may close the store next.
    while (!replicator.isKnownToAll() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(this, POLL_NANOS);
    }
  }

  private void awaitAllTaken(long deadline, Duration atMost) {
    while (true) {
      Optional<Integer> lacking =
          group.known().others(own()).stream().filter(this::lacksSomething).findFirst();
      if (lacking.isEmpty()) {
        return;
      }
      if (System.nanoTime() - deadline > 0 || Thread.currentThread().isInterrupted()) {
        throw new ReplicationRefusedException(
            "data centre %d has not left: after %s data centre %d still lacks something that was committed here; see whether it is reached, or detach it first"
                .formatted(own(), DurationWords.of(atMost), lacking.get()));
      }
      LockSupport.parkNanos(this, POLL_NANOS);
    }
  }

  private boolean lacksSomething(int other) {
    return partitions.local().stream()
        .anyMatch(
            partition ->
                partition.openTransactions() > 0
                    || !partition.inDoubt().isEmpty()
                    || partition.streams().acknowledged(other).get(own())
                        < partition.streams().lastOwn());
  }

  @Override
  public TcpTransport.About about() {
    StoreIdentity identity = setup.identity();
    return new TcpTransport.About(group(), identity.id(), own(), identity.partitions(), isNew());
  }

  @Override
  public List<DataCentre> all() {
    List<DataCentre> all = new ArrayList<>();
    group.known().members().forEach((number, member) -> all.add(dataCentre(number, member)));
    return List.copyOf(all);
  }

  private DataCentre dataCentre(int number, Member member) {
    OptionalLong heardAt = replicator.heardAt(number);
    boolean isHeard =
        number == own()
            || (heardAt.isPresent() && System.nanoTime() - heardAt.getAsLong() <= HEARD_NANOS);
    return new DataCentre(
        number,
        member.storeId(),
        DataCentre.State.valueOf(member.state().name()),
        Optional.of(member.address()).filter(address -> !address.isEmpty()),
        isHeard,
        least(partition -> partition.streams().reached().get(number)),
        number == own()
            ? partitions.now()
            : least(partition -> partition.streams().acknowledged(number).get(own())),
        isHeard
            ? Optional.empty()
            : tcp.flatMap(opened -> Optional.ofNullable(opened.problems().get(number))));
  }

  /** The least of a time of the partitions. */
  private Instant least(ToLongFunction<Partition> time) {
    long least = partitions.local().stream().mapToLong(time).min().orElse(0);
    return Instant.ofEpochMilli(Timestamp.epochMillis(least));
  }

  /** What is wrong, one sentence each. */
  List<String> problems() {
    List<String> problems = new ArrayList<>(faults.describe());
    problems.addAll(replicator.problems());
    setBack.ifPresent(problems::add);
    problems.addAll(lag.problems());
    tcp.ifPresent(
        opened ->
            opened
                .problems()
                .forEach(
                    (number, problem) -> {
                      boolean isSeed = !group.known().members().containsKey(number);
                      if (isSeed
                          ? !opened.isConnected()
                          : group.known().others(own()).contains(number)
                              && !opened.isConnected(number)) {
                        problems.add(problem);
                      }
                    }));
    return problems;
  }

  @Override
  public void close() {
    rights.ifPresent(RightsExchange::close);
    replicator.close();
  }
}
