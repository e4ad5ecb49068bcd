package io.github.stablecut.internal.transaction;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.github.stablecut.CacheOptions;
import io.github.stablecut.Certification;
import io.github.stablecut.CheckpointPolicy;
import io.github.stablecut.CounterKey;
import io.github.stablecut.IndexOptions;
import io.github.stablecut.Key;
import io.github.stablecut.ReadTimeoutException;
import io.github.stablecut.ResettableCounterKey;
import io.github.stablecut.SetKey;
import io.github.stablecut.SnapshotTruncatedException;
import io.github.stablecut.StoreOptions;
import io.github.stablecut.Update;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.Folding;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.CommitRequest.ObjectWrite;
import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionFacts;
import io.github.stablecut.internal.transaction.SimulatedTransaction.LatestRead;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Outcome;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Read;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Clients of partitions, in one process or several, on one thread, in an order that one number
 * decides: messages are lost, repeated and overtake each other, processes crash and lose what was
 * not synced, also in the middle of a group, or end in order, clocks differ and step, claims expire
 * before their transactions are committed, checkpoints and truncation happen. Confined to one
 * thread.
 */
final class Simulation {
  private static final int PARTITIONS = SimulatedProcesses.PARTITIONS;
  private static final int MAX_OBJECTS = 6;
  private static final int MAX_CLIENTS = 6;
  private static final int MAX_WRITES = 3;
  private static final int SETTLING_STEPS = 20_000;

  /** Of the kinds of steps, what happens in storms begins here. */
  private static final int STORM = 86;

  private static final List<Certification> CERTIFICATIONS = List.of(Certification.values());

  /** While the only thread waits for what others do, nobody does it. */
  private static final Duration USELESS_WAIT = Duration.ofMillis(1);

  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  /** One client's line of work. */
  private static final class Client {
    private final int number;
    private final UUID session;

    /** The process that it is a client of. */
    private final int home;

    private VectorClock token = VectorClock.ZERO;
    private Optional<Running> running = Optional.empty();
    private long requests;

    Client(int number, UUID session, int home) {
      this.number = number;
      this.session = session;
      this.home = home;
    }
  }

  /** A transaction that has not ended. */
  private static final class Running {
    private final SimulatedTransaction seen;
    private final ActiveSnapshots.Registration claim;
    private Optional<RequestId> request = Optional.empty();
    private Map<Integer, CommitRequest.Part> parts = Map.of();
    private boolean isCommitting;

    Running(SimulatedTransaction seen, ActiveSnapshots.Registration claim) {
      this.seen = seen;
      this.claim = claim;
    }
  }

  private final Random random;
  private final SimulatedProcesses processes;
  private final SimulatedNetwork network;
  private final List<Client> clients = new ArrayList<>();

  /** Those that have not ended, each with the process that it is in. */
  private final Map<CommitDriver, Integer> drivers = new HashMap<>();

  private final Map<Integer, SimulatedTransaction> history = new TreeMap<>();
  private final List<LatestRead> latestReads = new ArrayList<>();

  /** The newest point that each process has told: a snapshot, or the token of a commit. */
  private final long[] told;

  private final boolean hasCertification;

  /** With small steps and differences the partitions' times meet more often. */
  private final int maxStepNanos;

  /** With few clients the past is forgotten soon; on few objects they meet. */
  private final int objects;

  /** In a storm partitions crash, and forget, far more often than they work. */
  private final boolean isStorm;

  /** How many of four snapshots are at the very present. */
  private final int freshness;

  private long nanos = 1;
  private long attempts;
  private boolean isSettling;

  Simulation(long seed) {
    this.random = new Random(seed);
    this.hasCertification = random.nextInt(3) == 0;
    this.maxStepNanos = 100_000 << random.nextInt(10);
    this.freshness = random.nextInt(4);
    this.objects = 2 + random.nextInt(MAX_OBJECTS - 1);
    this.isStorm = random.nextInt(3) == 0;
    this.network = new SimulatedNetwork(random);
    StoreOptions options =
        StoreOptions.defaults()
            .withExecutor(Runnable::run)
            .withLimits(LossyDisk.LIMITS.withSegmentBytes(1 << 20))
            .withIndex(random.nextInt(4) == 0 ? IndexOptions.off() : IndexOptions.defaults())
            .withCache(random.nextBoolean() ? CacheOptions.off() : CacheOptions.objects(3))
            .withTimeouts(
                StoreOptions.defaults().timeouts().withCommit(TIMEOUT).withRead(USELESS_WAIT))
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
    this.processes = new SimulatedProcesses(random, options, () -> nanos, this::send);
    this.told = new long[processes.count()];
    for (int number = 1 + random.nextInt(MAX_CLIENTS); number > 0; number--) {
      int home = random.nextInt(processes.count());
      UUID session = new UUID(processes.machineMillis(home), number);
      clients.add(new Client(number, session, home));
    }
  }

  /** Runs some steps, lets everything settle, and says what was wrong; empty if nothing was. */
  Optional<String> run(int steps) {
    for (int step = 0; step < steps; step++) {
      nanos += random.nextInt(maxStepNanos);
      step(random.nextInt(isStorm && random.nextInt(4) == 0 ? STORM : 0, 100));
      noticeLost();
      if (random.nextInt(4) == 0) {
        continueReads();
      }
      if (random.nextInt(10) == 0) {
        retry();
      }
    }
    settle();
    return HistoryCheck.violation(history.values(), latestReads, readAll());
  }

  private void step(int kind) {
    if (kind < 14) {
      begin(anyClient());
    } else if (kind < 46) {
      continueTransaction(anyClient());
    } else if (kind < 48) {
      readLatest(anyClient(), random.nextInt(objects));
    } else if (kind < 74) {
      network.deliver(processes);
    } else if (kind < 86) {
      anyPartition().ifPresent(Partition::commitGroup);
    } else if (kind < 92) {
      tick();
    } else if (kind < 95) {
      anyPartition().ifPresent(Simulation::maintain);
    } else if (kind < 97) {
      crash(random.nextInt(PARTITIONS));
    } else if (kind < 98 && random.nextBoolean()) {
      failInTheMiddle(random.nextInt(PARTITIONS));
    } else if (kind < 98) {
      close(random.nextInt(PARTITIONS));
    } else {
      processes.openAll();
    }
  }

  private void crash(int partition) {
    processes.crash(partition);
    forget(processes.processOf(partition));
  }

  private void failInTheMiddle(int partition) {
    processes.failInTheMiddle(partition);
    forget(processes.processOf(partition));
  }

  private void close(int partition) {
    processes.close(partition);
    forget(processes.processOf(partition));
  }

  /** A process that has ended takes its drivers with it. */
  private void forget(int process) {
    if (!processes.isOne()) {
      // A node that comes back knows what it has promised, and not what it has only told.
      told[process] = 0;
      for (Client client : clients) {
        if (client.home == process) {
          client.running.ifPresent(running -> running.seen.told = 0);
        }
      }
    }
    Map.copyOf(drivers)
        .forEach(
            (driver, home) -> {
              if (home == process) {
                driver.close();
              }
            });
  }

  private Client anyClient() {
    return clients.get(random.nextInt(clients.size()));
  }

  private Optional<Partition> anyPartition() {
    return processes.get(random.nextInt(PARTITIONS));
  }

  private static void maintain(Partition partition) {
    var unused = partition.maintain();
  }

  /** Has a process send a message; one that is down sends nothing. */
  private void send(int process, int partition, Message.ToPartition message) {
    processes
        .clock(process)
        .ifPresent(clock -> network.send(process, clock.told(), partition, message));
  }

  private void tick() {
    processes.tick();
    List.copyOf(drivers.keySet()).forEach(driver -> driver.tick(nanos));
  }

  // Clients.

  private void begin(Client client) {
    Optional<HybridClock> clock = processes.clock(client.home);
    if (client.running.isPresent() || clock.isEmpty() || processes.allOpen().isEmpty()) {
      return;
    }
    VectorClock snapshot = client.token.join(anyPoint(clock.get()));
    clock.get().observe(snapshot.max());
    ActiveSnapshots.Registration claim = processes.active().register(snapshot);
    for (Partition partition : processes.allOpen().orElseThrow()) {
      if (!partition.admits(snapshot)) {
        claim.end();
        return;
      }
    }
    tell(client.home, snapshot);
    SimulatedTransaction transaction =
        new SimulatedTransaction(history.size(), client.number, snapshot, anyCertification());
    history.put(transaction.number, transaction);
    client.running = Optional.of(new Running(transaction, claim));
  }

  /** A point that a new snapshot may be at. */
  private VectorClock anyPoint(HybridClock clock) {
    boolean isFresh = random.nextInt(4) < freshness;
    if (isFresh && !processes.isOne()) {
      return VectorClock.of(clock.now());
    }
    VectorClock point = VectorClock.ZERO;
    for (Partition partition : processes.allOpen().orElseThrow()) {
      if (random.nextInt(4) > 0) {
        // What is told has to be durable where it can be lost, or it would be forgotten.
        point = point.join(isFresh ? partition.snapshot() : partition.newest());
      }
    }
    return point;
  }

  private void tell(int process, VectorClock point) {
    told[process] = Math.max(told[process], point.max());
  }

  private Certification anyCertification() {
    return hasCertification
        ? CERTIFICATIONS.get(random.nextInt(CERTIFICATIONS.size()))
        : Certification.NONE;
  }

  private void continueTransaction(Client client) {
    if (client.running.isEmpty() || client.running.get().isCommitting) {
      return;
    }
    Running running = client.running.get();
    if (running.seen.reads.size() < 6 && random.nextInt(3) > 0) {
      int object = random.nextInt(objects);
      read(object, running.seen.snapshot).ifPresent(running.seen.reads::add);
    } else {
      commit(client, running);
    }
  }

  static int partitionOf(int object) {
    return object % PARTITIONS;
  }

  private static SetKey<Long> set(int object) {
    return Key.growOnlySet("set", "" + object, Codec.int64());
  }

  private static CounterKey counter(int object) {
    return Key.counter("counter", "" + object);
  }

  /** Its effects are made from states, and what it holds is pruned. */
  private static ResettableCounterKey resettable(int object) {
    return Key.resettableCounter("resettable", "" + object);
  }

  private static List<Key<?>> keys(int object) {
    return List.of(set(object), counter(object), resettable(object));
  }

  private Optional<Read> read(int object, VectorClock snapshot) {
    Optional<Partition> open = processes.get(partitionOf(object));
    if (open.isEmpty()) {
      return Optional.empty();
    }
    Partition partition = open.get();
    try {
      if (!keys(object).stream().allMatch(key -> partition.isSettled(key.id(), snapshot))) {
        return Optional.empty();
      }
      return Optional.of(
          new Read(
              object,
              numbers(value(partition, set(object), snapshot)),
              value(partition, counter(object), snapshot),
              value(partition, resettable(object), snapshot)));
    } catch (ReopenException e) {
      crash(partitionOf(object));
      return Optional.empty();
    } catch (SnapshotTruncatedException e) {
      // Its claim has expired.
      return Optional.empty();
    }
  }

  /** Reads what an object is now, for one who begins nothing. */
  private void readLatest(Client client, int object) {
    Optional<Partition> partition = processes.get(partitionOf(object));
    Optional<HybridClock> clock = processes.clock(client.home);
    if (partition.isEmpty() || clock.isEmpty()) {
      return;
    }
    Set<Integer> acknowledged =
        history.values().stream()
            .filter(one -> one.outcome == Outcome.ACKNOWLEDGED && one.writes.contains(object))
            .map(one -> one.number)
            .collect(toUnmodifiableSet());
    processes
        .clock(processes.processOf(partitionOf(object)))
        .ifPresent(there -> there.observe(clock.get().told()));
    try {
      VectorClock present = partition.get().present(set(object).id());
      waitingReads.add(new WaitingRead(object, partition.get(), present, acknowledged));
    } catch (ReadTimeoutException e) {
      // Something is undecided.
    } catch (ReopenException e) {
      crash(partitionOf(object));
    }
  }

  /** A read of the latest state that waits until that is settled. */
  private record WaitingRead(
      int object, Partition partition, VectorClock present, Set<Integer> acknowledged) {}

  private final List<WaitingRead> waitingReads = new ArrayList<>();

  private void continueReads() {
    for (WaitingRead waiting : List.copyOf(waitingReads)) {
      SetKey<Long> key = set(waiting.object);
      Optional<Partition> open = processes.get(partitionOf(waiting.object));
      if (!open.equals(Optional.of(waiting.partition))) {
        waitingReads.remove(waiting);
        continue;
      }
      try {
        if (waiting.partition.isSettled(key.id(), waiting.present)) {
          waitingReads.remove(waiting);
          Set<Integer> seen = numbers(value(waiting.partition, key, waiting.present));
          latestReads.add(new LatestRead(waiting.object, waiting.acknowledged, seen));
        }
      } catch (SnapshotTruncatedException e) {
        // Nobody has claimed it.
      } catch (ReopenException e) {
        crash(partitionOf(waiting.object));
      }
    }
  }

  private static Set<Integer> numbers(Set<Long> elements) {
    return elements.stream().map(Long::intValue).collect(toUnmodifiableSet());
  }

  private static <V> V value(Partition partition, Key<V> key, VectorClock snapshot) {
    return key.view(state(partition, key, snapshot), snapshot);
  }

  private void commit(Client client, Running running) {
    SimulatedTransaction transaction = running.seen;
    if (random.nextInt(4) == 0) {
      transaction.outcome = Outcome.FAILED;
      end(client, running);
      return;
    }
    for (int i = 1 + random.nextInt(random.nextBoolean() ? 1 : MAX_WRITES); i > 0; i--) {
      boolean unused = transaction.writes.add(random.nextInt(objects));
    }
    if (random.nextBoolean()) {
      running.request = Optional.of(new RequestId(client.session, ++client.requests));
    }
    running.isCommitting = true;
    transaction.told = told[client.home];
    if (!isOpen(transaction) || processes.clock(client.home).isEmpty()) {
      ended(client, running, null, new NothingSent());
      return;
    }
    running.parts = parts(transaction);
    send(client, running);
    if (random.nextInt(4) == 0) {
      // As if the commit took longer than a transaction may.
      running.claim.end();
    }
  }

  /** Whether there are all partitions that a transaction writes or certifies. */
  private boolean isOpen(SimulatedTransaction transaction) {
    Set<Integer> touched = new TreeSet<>(transaction.writes);
    touched.addAll(transaction.certified());
    return touched.stream().allMatch(object -> processes.get(partitionOf(object)).isPresent());
  }

  /** Sends a commit, for the first time or again. */
  private void send(Client client, Running running) {
    if (running.parts.size() == 1) {
      commitOnOne(client, running, running.parts.entrySet().iterator().next());
      return;
    }
    CommitDriver[] driver = new CommitDriver[1];
    driver[0] =
        new CommitDriver(
            (partition, message) -> send(client.home, partition, message),
            running.parts,
            ++attempts,
            running.request,
            () -> nanos,
            TIMEOUT.toNanos());
    var unused = drivers.put(driver[0], client.home);
    var unusedToo =
        driver[0]
            .start()
            .whenComplete(
                (time, failure) -> {
                  var unusedThree = drivers.remove(driver[0]);
                  ended(client, running, time, failure);
                });
  }

  /** That nothing was sent. */
  private static final class NothingSent extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private void commitOnOne(
      Client client, Running running, Map.Entry<Integer, CommitRequest.Part> part) {
    Optional<Partition> open = processes.get(part.getKey());
    Optional<HybridClock> clock = processes.clock(client.home);
    if (open.isEmpty() || clock.isEmpty()) {
      ended(client, running, null, new NothingSent());
      return;
    }
    Partition partition = open.get();
    processes
        .clock(processes.processOf(part.getKey()))
        .ifPresent(there -> there.observe(clock.get().told()));
    try {
      CompletionStage<VectorClock> stage =
          partition.commitAsync(
              CommitRequest.of(part.getValue(), TransactionFacts.of(running.request)),
              Runnable::run);
      lost.add(new Pending(part.getKey(), partition, client, running));
      var unused =
          stage.whenComplete(
              (vector, failure) ->
                  ended(client, running, vector == null ? null : vector.max(), failure));
    } catch (StablecutException e) {
      ended(client, running, null, e);
    }
  }

  /** A commit on one partition whose answer is lost with the partition. */
  private record Pending(int number, Partition partition, Client client, Running running) {}

  private final List<Pending> lost = new ArrayList<>();

  /** Clients of partitions that are gone hear nothing more. */
  private void noticeLost() {
    for (Pending pending : List.copyOf(lost)) {
      if (pending.running.seen.outcome != Outcome.OPEN) {
        lost.remove(pending);
      } else if (!processes.get(pending.number).equals(Optional.of(pending.partition))) {
        lost.remove(pending);
        ended(
            pending.client,
            pending.running,
            null,
            new OutcomeUnknownException("the answer is lost"));
      }
    }
  }

  private void ended(
      Client client, Running running, @Nullable Long time, @Nullable Throwable failure) {
    SimulatedTransaction transaction = running.seen;
    if (transaction.outcome != Outcome.OPEN) {
      return;
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    boolean isUnknown =
        cause instanceof OutcomeUnknownException || cause instanceof ReopenException;
    boolean wasUnknown = running.isCommitting && unknownBefore.contains(transaction.number);
    if (time != null) {
      transaction.outcome = Outcome.ACKNOWLEDGED;
      transaction.time = time;
      client.token = client.token.join(VectorClock.of(time));
      processes
          .clock(client.home)
          .ifPresent(
              clock -> {
                clock.observe(client.token.max());
                tell(client.home, client.token);
              });
    } else if (isUnknown && running.request.isPresent() && !isSettling) {
      // Sent again until somebody knows.
      boolean unused = unknownBefore.add(transaction.number);
      retries.add(new Retry(client, running));
      return;
    } else {
      transaction.outcome = isUnknown || wasUnknown ? Outcome.UNKNOWN : Outcome.FAILED;
    }
    end(client, running);
    if (transaction.outcome == Outcome.ACKNOWLEDGED && random.nextBoolean()) {
      // Some partitions have not heard yet what another one has decided.
      readLatest(anyClient(), List.copyOf(transaction.writes).get(transaction.writes.size() - 1));
    }
  }

  private record Retry(Client client, Running running) {}

  private final List<Retry> retries = new ArrayList<>();
  private final Set<Integer> unknownBefore = new HashSet<>();

  private void retry() {
    List<Retry> due = List.copyOf(retries);
    retries.clear();
    for (Retry retry : due) {
      send(retry.client, retry.running);
    }
  }

  private static void end(Client client, Running running) {
    running.claim.end();
    client.running = Optional.empty();
  }

  private Map<Integer, CommitRequest.Part> parts(SimulatedTransaction transaction) {
    VectorClock snapshot = transaction.snapshot;
    SelfDots dots = new SelfDots();
    OperationContext context = new OperationContext(Settings.DATA_CENTRE, snapshot, dots);
    Map<Integer, CommitRequest.Part> parts = new TreeMap<>();
    Set<Integer> certified = transaction.certified();
    Set<Integer> objects = new TreeSet<>(transaction.writes);
    objects.addAll(certified);
    for (int object : objects) {
      int number = partitionOf(object);
      Partition partition = processes.get(number).orElseThrow();
      VectorClock frontier = partition.pruneFrontier(snapshot);
      CommitRequest.Part part =
          parts.computeIfAbsent(
              number,
              key ->
                  new CommitRequest.Part(
                      Settings.DATA_CENTRE,
                      snapshot,
                      frontier,
                      new ArrayList<>(),
                      new HashSet<>()));
      if (transaction.writes.contains(object)) {
        part.writes().add(write(set(object).add((long) transaction.number), context));
        part.writes().add(write(counter(object).increment(), context));
        part.writes().add(writeResettable(transaction, object, partition, context));
      }
      if (certified.contains(object)) {
        boolean unused = part.certified().add(set(object).id());
        boolean unusedToo = part.certified().add(counter(object).id());
        boolean unusedThree = part.certified().add(resettable(object).id());
      }
    }
    return parts;
  }

  /** Increments an object's resettable counter, or resets it if it can be read. */
  private ObjectWrite writeResettable(
      SimulatedTransaction transaction, int object, Partition partition, OperationContext context) {
    ResettableCounterKey key = resettable(object);
    Optional<Read> read =
        random.nextInt(3) == 0 ? read(object, transaction.snapshot) : Optional.empty();
    if (read.isEmpty()) {
      return write(key.increment(), context);
    }
    transaction.resets.put(object, read.get().seen());
    return write(key.reset(), state(partition, key, transaction.snapshot), context);
  }

  private static Object state(Partition partition, Key<?> key, VectorClock snapshot) {
    return partition
        .versionAt(key.id(), snapshot)
        .map(Version::state)
        .orElseGet(key.type()::initial);
  }

  private static ObjectWrite write(Update update, OperationContext context) {
    return write(update, update.key().type().initial(), context);
  }

  private static ObjectWrite write(Update update, Object state, OperationContext context) {
    Key<?> key = update.key();
    Bytes id = key.id();
    Object effect = Folding.downstream(key.type(), update.operation(), state, context);
    return new ObjectWrite(
        id, key.type(), List.of(effect), List.of(Folding.encodeEffect(key.type(), effect)));
  }

  // The end.

  private void settle() {
    isSettling = true;
    network.makeReliable();
    for (int step = 0; step < SETTLING_STEPS && !isSettled(); step++) {
      nanos += 50_000_000;
      processes.openAll();
      noticeLost();
      continueReads();
      retry();
      network.deliver(processes);
      processes.commitGroups();
      tick();
    }
    if (!isSettled()) {
      throw new AssertionError("does not settle: " + history.values());
    }
    processes.commitGroups();
    for (Client client : clients) {
      client.running.ifPresent(
          running -> {
            running.seen.outcome = Outcome.FAILED;
            end(client, running);
          });
    }
  }

  private boolean isSettled() {
    return network.isEmpty()
        && drivers.isEmpty()
        && retries.isEmpty()
        && clients.stream()
            .noneMatch(client -> client.running.map(running -> running.isCommitting).orElse(false))
        && processes.allOpen().stream()
                .flatMap(List::stream)
                .filter(partition -> partition.inDoubt().isEmpty())
                .count()
            == PARTITIONS;
  }

  private List<Read> readAll() {
    VectorClock now = VectorClock.ZERO;
    for (Partition partition : processes.allOpen().orElseThrow()) {
      now = now.join(partition.now());
    }
    List<Read> reads = new ArrayList<>();
    for (int object = 0; object < objects; object++) {
      reads.add(read(object, now).orElseThrow());
    }
    return reads;
  }
}
