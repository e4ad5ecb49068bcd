package io.github.stablecut.internal.transaction;

import static io.github.stablecut.internal.transaction.SimulatedObjects.partitionOf;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.record.Digest;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionName;
import io.github.stablecut.internal.transaction.SimulatedClient.OpenTransaction;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Outcome;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.Certification;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * The clients of a {@link Simulation}: they begin transactions at some point, read, and commit
 * their writes through {@link SimulatedCommits}. Confined to one thread.
 */
final class SimulatedClients {
  private static final int MAX_WRITES = 3;
  private static final int MAX_READS = 6;

  /** The reads of a client that keeps its snapshot while others go on. */
  private static final int READS_OF_A_PIN = 40;

  /** The number of names that are assigned concurrently. */
  private static final int NAMES_IN_USE = 4;

  private static final List<Certification> CERTIFICATIONS = List.of(Certification.values());

  private final Random random;
  private final SimulatedProcesses processes;
  private final SimulatedObjects objects;
  private final int objectCount;
  private final boolean hasCertification;
  private final boolean hasNames;
  private final boolean hasPins;

  /** How many of four snapshots are at the very present. */
  private final int freshness;

  private final List<SimulatedClient> clients = new ArrayList<>();
  private final Map<Integer, SimulatedTransaction> history = new TreeMap<>();

  /** The newest point that each process has issued: a snapshot, or the token of a commit. */
  private final long[] told;

  private int names = NAMES_IN_USE;

  /**
   * @param objectCount with few objects, clients conflict
   */
  SimulatedClients(
      Random random,
      SimulatedProcesses processes,
      SimulatedObjects objects,
      int objectCount,
      int maxClients) {
    this.random = random;
    this.processes = processes;
    this.objects = objects;
    this.objectCount = objectCount;
    this.hasCertification = random.nextInt(3) == 0;
    this.hasNames = random.nextInt(3) == 0;
    this.hasPins = random.nextInt(3) == 0;
    this.freshness = random.nextInt(4);
    this.told = new long[processes.count()];
    for (int number = 1 + random.nextInt(maxClients); number > 0; number--) {
      int home = random.nextInt(processes.count());
      SessionName session = new SessionName(processes.machineMillis(home), 0, number, 0);
      clients.add(new SimulatedClient(number, session, home));
    }
  }

  SimulatedClient any() {
    return clients.get(random.nextInt(clients.size()));
  }

  Collection<SimulatedTransaction> history() {
    return history.values();
  }

  /** The names that transactions have assigned; others have no type. */
  int names() {
    return names;
  }

  /** Whether no client waits for a commit. */
  boolean areIdle() {
    return clients.stream()
        .noneMatch(client -> client.running.map(running -> running.isCommitting).orElse(false));
  }

  /** Ends open transactions that are not committing. */
  void giveUp() {
    for (SimulatedClient client : clients) {
      client.running.ifPresent(running -> running.seen.outcome = Outcome.FAILED);
      client.end();
    }
  }

  /**
   * A process has ended. A restarted node knows its promises, but not the points that it issued.
   */
  void forget(int process) {
    if (!processes.isOne()) {
      told[process] = 0;
      for (SimulatedClient client : clients) {
        if (client.home == process) {
          client.running.ifPresent(running -> running.seen.issued = 0);
        }
      }
    }
  }

  void begin(SimulatedClient client) {
    if (client.running.isEmpty()) {
      claim(client)
          .ifPresent(
              claim -> {
                SimulatedTransaction transaction =
                    new SimulatedTransaction(
                        history.size(), client.number, claim.snapshot(), anyCertification());
                transaction.dataCentre = processes.local().number();
                transaction.isPin = hasPins && random.nextInt(12) == 0;
                history.put(transaction.number, transaction);
                client.begin(transaction, claim);
              });
    }
  }

  /** Registers a snapshot that a client may see now; empty if a partition is down or refuses it. */
  Optional<ActiveSnapshots.Registration> claim(SimulatedClient client) {
    Optional<HybridClock> clock = processes.clock(client.home);
    if (clock.isEmpty() || open().isEmpty()) {
      return Optional.empty();
    }
    VectorClock snapshot;
    try {
      snapshot = client.token.join(anyPoint(clock.get()));
    } catch (RuntimeException e) {
      processes.expect(e);
      return Optional.empty();
    }
    clock.get().observe(LocalDataCentre.floorOf(snapshot));
    ActiveSnapshots.Registration claim = processes.active().register(snapshot);
    List<Partition> open = open();
    if (open.isEmpty() || !open.stream().allMatch(one -> one.admits(snapshot))) {
      claim.end();
      return Optional.empty();
    }
    tell(client.home, snapshot);
    return Optional.of(claim);
  }

  /** The partitions from which a snapshot may be taken; none if there are too few. */
  private List<Partition> open() {
    return processes.mayLackPartitions() ? processes.open() : processes.allOpen().orElse(List.of());
  }

  /** A candidate point for a new snapshot. */
  private VectorClock anyPoint(HybridClock clock) {
    VectorClock others = processes.someArrived();
    boolean isFresh = random.nextInt(4) < freshness;
    if (isFresh && !processes.isOne()) {
      return processes.local().with(others, clock.now());
    }
    VectorClock point = VectorClock.ZERO;
    for (Partition partition : open()) {
      if (random.nextInt(4) > 0) {
        // An issued point has to be durable where it can be lost, or it would be forgotten.
        point = point.join(isFresh ? partition.snapshot() : partition.newest());
      }
    }
    return processes.local().with(others, processes.local().timeIn(point));
  }

  private void tell(int process, VectorClock point) {
    told[process] = Math.max(told[process], processes.local().timeIn(point));
  }

  /** A client learns that its transaction is committed. */
  void acknowledge(SimulatedClient client, SimulatedTransaction transaction, long time) {
    List<VectorClock> attempts = transaction.attempts;
    VectorClock last = attempts.get(attempts.size() - 1);
    transaction.outcome = Outcome.ACKNOWLEDGED;
    transaction.time = time;
    client.token = client.token.join(processes.local().with(last, time));
    processes
        .clock(client.home)
        .ifPresent(
            clock -> {
              clock.observe(LocalDataCentre.floorOf(client.token));
              tell(client.home, client.token);
            });
  }

  private Certification anyCertification() {
    return hasCertification
        ? CERTIFICATIONS.get(random.nextInt(CERTIFICATIONS.size()))
        : Certification.NONE;
  }

  /** Makes a client read, or commit. */
  void proceed(SimulatedClient client, SimulatedCommits commits) {
    if (client.running.isEmpty() || client.running.get().isCommitting) {
      return;
    }
    OpenTransaction running = client.running.get();
    SimulatedTransaction transaction = running.seen;
    int maxReads = transaction.isPin ? READS_OF_A_PIN : MAX_READS;
    if (transaction.reads.size() < maxReads && (transaction.isPin || random.nextInt(3) > 0)) {
      int object = random.nextInt(objectCount);
      read(object, transaction.snapshot).ifPresent(transaction.reads::add);
    } else if (random.nextInt(6) == 0) {
      int name = anyName();
      processes.ask(partitionOf(name), open -> objects.typeOf(open, name, transaction.snapshot));
    } else if (transaction.isPin || random.nextInt(4) == 0) {
      transaction.outcome = Outcome.FAILED;
      client.end();
    } else {
      chooseWrites(transaction);
      if (random.nextBoolean()) {
        running.request =
            Optional.of(
                new RequestId(client.session, ++client.requests, new Digest(client.requests, 0)));
      }
      running.isCommitting = true;
      transaction.issued = told[client.home];
      commits.commit(client, running);
    }
  }

  /** Reads an object where it is served, or from another replica. */
  private Optional<SimulatedTransaction.Read> read(int object, VectorClock snapshot) {
    int partition = partitionOf(object);
    if (random.nextBoolean()) {
      Optional<SimulatedTransaction.Read> near =
          processes.near(
              partition, snapshot, source -> objects.readSettled(source, object, snapshot));
      if (near.isPresent()) {
        return near;
      }
    }
    return processes.ask(partition, open -> objects.read(open, object, snapshot));
  }

  private int anyName() {
    return names - 1 - random.nextInt(NAMES_IN_USE);
  }

  private void chooseWrites(SimulatedTransaction transaction) {
    for (int i = 1 + random.nextInt(random.nextBoolean() ? 1 : MAX_WRITES); i > 0; i--) {
      transaction.writes.add(random.nextInt(objectCount));
    }
    if (hasNames && random.nextInt(2) == 0) {
      transaction.names.put(anyName(), random.nextInt(SimulatedObjects.KINDS));
      names += random.nextInt(3) / 2;
    }
  }
}
