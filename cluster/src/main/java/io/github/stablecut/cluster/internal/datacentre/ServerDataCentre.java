package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.link.DataCentreInfo;
import io.github.stablecut.internal.link.JoinCall;
import io.github.stablecut.internal.link.Sockets;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.DataCentres;
import io.github.stablecut.replication.Replication;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The data centre of a server that replicates with others. Thread-safe. */
public final class ServerDataCentre implements DataCentreCommands {
  /** The time within which newly connected data centres have to hear from each other. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

  /** The time for which a leaving data centre waits for the others. */
  private static final Duration LEAVE_TIMEOUT = Duration.ofMinutes(10);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ServedStore store;
  private final Sockets sockets;
  private final GroupJoiner joining;

  /** Serializes the start of operations. */
  private final Object startLock = new Object();

  private volatile Optional<Operation> last = Optional.empty();

  /** Lets a new store join a group. */
  public interface GroupJoiner {
    /**
     * Joins a group.
     *
     * @param addresses of data centres of one group
     * @param group describes one of them
     * @throws ReplicationRefusedException if joining is impossible; the store remains as it was
     */
    void join(List<String> addresses, DataCentreInfo group);
  }

  /**
   * @param replication the store's replication over TCP
   * @param joining lets the store join others
   */
  public ServerDataCentre(ServedStore store, Replication replication, GroupJoiner joining) {
    this.store = store;
    this.sockets = new Sockets(replication.tls());
    this.joining = joining;
  }

  private DataCentres dataCentres() {
    return store.get().dataCentres();
  }

  @Override
  public String descriptor() {
    DataCentres dataCentres = dataCentres();
    return new Descriptor(own(dataCentres).storeId(), addressOfThis(dataCentres)).toString();
  }

  /** Returns the address of this node, among those of the cluster's nodes. */
  public static String addressOfThis(DataCentres dataCentres) {
    List<String> all = addresses(dataCentres);
    String port = ":" + dataCentres.port().orElseThrow();
    return all.stream().filter(address -> address.endsWith(port)).findFirst().orElse(all.get(0));
  }

  private static List<String> addresses(DataCentres dataCentres) {
    return List.of(own(dataCentres).address().orElseThrow().split(",", -1));
  }

  private static DataCentre own(DataCentres dataCentres) {
    return dataCentres.all().stream()
        .filter(dataCentre -> dataCentre.number() == dataCentres.own())
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
  public Optional<Operation> last() {
    return last;
  }

  @Override
  public List<String> addresses(List<String> descriptors) {
    List<String> addresses = new ArrayList<>();
    List<String> own = addresses(dataCentres());
    for (String descriptor : descriptors) {
      String address = Descriptor.parse(descriptor).address();
      if (!own.contains(address) && !addresses.contains(address)) {
        addresses.add(address);
      }
    }
    return addresses;
  }

  @Override
  public synchronized void connect(List<String> addresses) {
    List<String> joined = meeting(addresses).joined();
    if (!joined.isEmpty()) {
      join(joined);
    }
    awaitHeard(meeting(addresses));
  }

  private GroupCreation meeting(List<String> addresses) {
    List<GroupCreation.OtherDataCentre> others =
        addresses.stream()
            .map(address -> new GroupCreation.OtherDataCentre(address, ask(address)))
            .toList();
    DataCentres own = dataCentres();
    return new GroupCreation(
        new DataCentreInfo(own.group(), own(own).storeId(), own.own(), 0, own.isNew()), others);
  }

  private DataCentreInfo ask(String address) {
    try {
      return JoinCall.ask(sockets, address);
    } catch (IOException e) {
      throw new ReplicationRefusedException(
          "no data centre answers at %s: %s; check that it runs and is reachable at this address (replication.advertised)"
              .formatted(address, IoReason.of(e)),
          e);
    } catch (IllegalArgumentException e) {
      throw new ReplicationRefusedException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Waits until this data centre has heard from the others in its group. */
  private void awaitHeard(GroupCreation meeting) {
    long deadlineNanos = System.nanoTime() + CONNECT_TIMEOUT.toNanos();
    for (GroupCreation.OtherDataCentre other : meeting.others()) {
      if (other.about().group() == meeting.own().group()) {
        while (!isHeard(other.about().number())) {
          if (System.nanoTime() - deadlineNanos > 0 || Thread.currentThread().isInterrupted()) {
            throw new ReplicationRefusedException(
                "data centre %d at %s is in the group, but has sent nothing yet: see the status"
                    .formatted(other.about().number(), other.address()));
          }
          LockSupport.parkNanos(this, POLL_NANOS);
        }
      }
    }
  }

  private boolean isHeard(int number) {
    return dataCentres().all().stream()
        .anyMatch(dataCentre -> dataCentre.number() == number && dataCentre.isReachable());
  }

  private void join(List<String> addresses) {
    joining.join(addresses, ask(addresses.get(0)));
  }

  @Override
  public void beginToJoin(String address) {
    begin("connect " + address, () -> joinAlone(address));
  }

  private synchronized void joinAlone(String address) {
    GroupCreation meeting = meeting(List.of(address));
    List<String> joined = meeting.joinedAlone();
    if (!joined.isEmpty()) {
      join(joined);
    }
    awaitHeard(meeting(List.of(address)));
  }

  private void begin(String what, Runnable work) {
    synchronized (startLock) {
      last.filter(operation -> !operation.isOver())
          .ifPresent(
              operation -> {
                throw new ReplicationRefusedException(
                    "another operation is running, \"%s\": wait for its end"
                        .formatted(operation.what()));
              });
      last = Optional.of(new Operation(what, false, Optional.empty()));
    }
    Threads.daemon(
            "stablecut-data-centre",
            () -> {
              Optional<String> problem = Optional.of("it failed; see the log");
              try {
                work.run();
                problem = Optional.empty();
              } catch (StablecutException e) {
                problem = Optional.of(String.valueOf(e.getMessage()));
              } finally {
                last = Optional.of(new Operation(what, true, problem));
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
    begin("remove", () -> dataCentres().leave(LEAVE_TIMEOUT));
  }
}
