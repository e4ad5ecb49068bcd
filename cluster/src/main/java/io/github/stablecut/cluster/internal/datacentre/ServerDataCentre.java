package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.link.JoinCall;
import io.github.stablecut.internal.link.Sockets;
import io.github.stablecut.internal.link.TcpTransport.About;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.DataCentres;
import io.github.stablecut.replication.Replication;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server with a store of its own that listens for other data centres. A new store joins them
 * while the server runs: it is closed, made again of what they have, and opened. Thread-safe.
 */
public final class ServerDataCentre implements DataCentreOrders {
  private static final Logger LOG = LoggerFactory.getLogger(ServerDataCentre.class);

  /** How long those that are connected may take to hear each other. */
  private static final Duration HEARING = Duration.ofSeconds(30);

  /** How long a data centre that leaves waits for the others. */
  private static final Duration LEAVING = Duration.ofMinutes(10);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Path data;
  private final StoreOptions options;
  private final ServedStore store;
  private final Runnable beforeExchange;

  /** What the store is opened with next. Guarded by this. */
  private Replication replication;

  /** Held while an order is given. */
  private final Object orders = new Object();

  private volatile Optional<Order> last = Optional.empty();

  /**
   * @param options the store's, with the replication over TCP
   * @param beforeExchange ends what clients have begun in the store
   */
  public ServerDataCentre(
      Path data, StoreOptions options, ServedStore store, Runnable beforeExchange) {
    this.data = data;
    this.options = options;
    this.store = store;
    this.beforeExchange = beforeExchange;
    // Others were told of the port that it has now.
    Replication configured = options.replication().orElseThrow();
    this.replication =
        configured.withListen(
            configured
                .listen()
                .orElseThrow()
                .replaceFirst(":0$", ":" + dataCentres().port().orElseThrow()));
  }

  private DataCentres dataCentres() {
    return store.get().dataCentres();
  }

  @Override
  public String descriptor() {
    DataCentres dataCentres = dataCentres();
    DataCentre own = own(dataCentres);
    return new Descriptor(own.storeId(), own.address().orElseThrow()).toString();
  }

  private static DataCentre own(DataCentres dataCentres) {
    return dataCentres.all().stream()
        .filter(one -> one.number() == dataCentres.own())
        .findFirst()
        .orElseThrow();
  }

  @Override
  public Optional<Integer> own() {
    return store.find().map(found -> found.dataCentres().own());
  }

  @Override
  public List<DataCentre> all() {
    return store.find().map(found -> found.dataCentres().all()).orElse(List.of());
  }

  @Override
  public Optional<Order> last() {
    return last;
  }

  @Override
  public synchronized void connect(List<String> descriptors) {
    List<String> addresses = new ArrayList<>();
    String own = own(dataCentres()).address().orElseThrow();
    for (String descriptor : descriptors) {
      String address = Descriptor.parse(descriptor).address();
      if (!address.equals(own) && !addresses.contains(address)) {
        addresses.add(address);
      }
    }
    List<String> joined = meeting(addresses).joined();
    if (!joined.isEmpty()) {
      join(joined);
    }
    awaitHeard(meeting(addresses));
  }

  private Meeting meeting(List<String> addresses) {
    List<Meeting.Other> others =
        addresses.stream().map(address -> new Meeting.Other(address, ask(address))).toList();
    DataCentres own = dataCentres();
    return new Meeting(
        new About(own.group(), own(own).storeId(), own.own(), 0, own.isNew()), others);
  }

  private About ask(String address) {
    try {
      return JoinCall.ask(new Sockets(replication.tls()), address);
    } catch (IOException e) {
      throw new ReplicationRefusedException(
          "no data centre answers at %s: %s; see whether it runs, and is reached under this address (replication.advertised)"
              .formatted(address, IoReason.of(e)),
          e);
    } catch (IllegalArgumentException e) {
      throw new ReplicationRefusedException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Waits until those of the others that are in the group are heard. */
  private void awaitHeard(Meeting meeting) {
    long deadline = System.nanoTime() + HEARING.toNanos();
    for (Meeting.Other other : meeting.others()) {
      if (other.about().group() == meeting.own().group()) {
        while (!isHeard(other.about().number())) {
          if (System.nanoTime() - deadline > 0 || Thread.currentThread().isInterrupted()) {
            throw new ReplicationRefusedException(
                "data centre %d at %s is in the group, but nothing was heard of it: see the status"
                    .formatted(other.about().number(), other.address()));
          }
          LockSupport.parkNanos(this, POLL_NANOS);
        }
      }
    }
  }

  private boolean isHeard(int number) {
    return dataCentres().all().stream().anyMatch(one -> one.number() == number && one.isHeard());
  }

  /** Has a store that is new join a group. */
  private void join(List<String> addresses) {
    About group = ask(addresses.get(0));
    int partitions = options.partitions();
    if (partitions != 0 && partitions != group.partitions()) {
      throw new ReplicationRefusedException(
          "the data centre at %s has %d partitions, and this one is to have %d: start this one with as many (--partitions)"
              .formatted(addresses.get(0), group.partitions(), partitions));
    }
    Replication joining = replication;
    for (String address : addresses) {
      joining = joining.join(address);
    }
    Replication next = joining;
    beforeExchange.run();
    List<StablecutException> failures = new ArrayList<>(1);
    store.exchange(before -> exchange(before, next, failures));
    for (StablecutException failure : failures) {
      throw failure;
    }
    replication = next;
    if (dataCentres().group() != group.group()) {
      throw new ReplicationRefusedException(
          "something was written to this store meanwhile, so it does not join the one at %s: export it, join with an empty directory, and import it there"
              .formatted(addresses.get(0)));
    }
    LOG.info("the store is data centre {} of {} now", dataCentres().own(), addresses);
  }

  private Store exchange(Store before, Replication next, List<StablecutException> failures) {
    before.close();
    try {
      return Stablecut.open(data, options.withReplication(next));
    } catch (StablecutException e) {
      failures.add(e);
      return Stablecut.open(data, options.withReplication(replication));
    }
  }

  @Override
  public void beginToJoin(String address) {
    begin("connect " + address, () -> joinAlone(address));
  }

  private synchronized void joinAlone(String address) {
    Meeting meeting = meeting(List.of(address));
    List<String> joined = meeting.joinedAlone();
    if (!joined.isEmpty()) {
      join(joined);
    }
    awaitHeard(meeting(List.of(address)));
  }

  private void begin(String what, Runnable work) {
    synchronized (orders) {
      last.filter(order -> !order.isOver())
          .ifPresent(
              order -> {
                throw new ReplicationRefusedException(
                    "another order is carried out, \"%s\": wait for its end"
                        .formatted(order.what()));
              });
      last = Optional.of(new Order(what, false, Optional.empty()));
    }
    Threads.daemon(
            "stablecut-data-centre",
            () -> {
              Optional<String> problem = Optional.of("it has failed, see the log");
              try {
                work.run();
                problem = Optional.empty();
              } catch (StablecutException e) {
                problem = Optional.of(String.valueOf(e.getMessage()));
              } finally {
                last = Optional.of(new Order(what, true, problem));
              }
            })
        .start();
  }

  @Override
  public void detach(int number) {
    try {
      dataCentres().detach(number);
    } catch (IllegalArgumentException e) {
      throw new ReplicationRefusedException(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public void beginToLeave() {
    begin("remove", () -> dataCentres().leave(LEAVING));
  }
}
