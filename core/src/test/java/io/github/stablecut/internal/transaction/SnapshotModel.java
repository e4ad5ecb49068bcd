package io.github.stablecut.internal.transaction;

import static java.util.stream.Collectors.toUnmodifiableSet;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Outcome;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Read;
import io.github.stablecut.option.Certification;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The rules of snapshots, commit times and replication without the code: one to three data centres
 * of some partitions, whose clocks differ, go back at a restart, and advance with received times.
 * Transactions take arbitrary snapshots; nothing is lost, everything may be late. Confined to one
 * thread.
 */
final class SnapshotModel {
  /** A rule to omit. */
  enum Mutant {
    /** A reader does not wait for transactions prepared at or below its snapshot. */
    NO_PREPARED_WAIT,
    /** A reader does not keep later commits above its snapshot. */
    NO_PROMISE_ON_READ,
    /** A reader does not wait for other data centres' commits up to its snapshot. */
    NO_REMOTE_WAIT,
    /** A reader considers only the origin's entry of a commit vector. */
    ORIGIN_ONLY_VISIBILITY,
    /** Prepared transactions are visible, as if they were committed. */
    EARLY_VISIBILITY,
    /** Each partition uses its own prepare time as commit time. */
    OWN_PREPARE_TIME,
    /** Commits are sent to other data centres as they come, not in the order of their times. */
    SENT_UNORDERED,
    /** Other data centres receive a time that is above a prepared transaction's. */
    HEARTBEAT_OF_NOW,
    /** A restarted clock does not know the times that it issued without a commit. */
    NO_CLOCK_CEILING,
    /** A prepare time may be below the snapshot. */
    NO_SNAPSHOT_FLOOR
  }

  private static final int MAX_DATA_CENTRES = 3;
  private static final int PARTITIONS = 2;
  private static final int OBJECTS = 5;
  private static final int CLIENTS = 6;
  private static final int STEPS = 700;
  private static final long CEILING_STEP = 60;

  /** An effect in a partition. */
  private record Applied(VectorClock commit, int transaction, int dataCentre) {}

  /**
   * A message between data centres: a commit with its objects, or only that there is none up to a
   * time.
   */
  private record StreamMessage(long time, Optional<Applied> commit, Set<Integer> objects) {}

  /** A prepared transaction on a partition. */
  private record Prepared(long time, Set<Integer> objects) {}

  /** A partition of a data centre; timestamps consist of its clock's ticks and its number. */
  private final class Partition {
    private final int dataCentre;
    private final int number;
    private final Map<Integer, Prepared> prepared = new HashMap<>();
    private final Map<Integer, List<Applied>> effects = new HashMap<>();
    private final long[] complete = new long[dataCentres];
    private final List<StreamMessage> unsent = new ArrayList<>();
    private final List<Deque<StreamMessage>> arriving = new ArrayList<>();
    private long skew = random.nextInt(40);
    private long clock;
    private long ceiling;
    private long logged;

    Partition(int dataCentre, int number) {
      this.dataCentre = dataCentre;
      this.number = number;
      for (int from = 0; from < dataCentres; from++) {
        arriving.add(new ArrayDeque<>());
      }
    }

    @CanIgnoreReturnValue
    private long tell(long ticks) {
      clock = Math.max(clock, ticks);
      if (clock >= ceiling) {
        ceiling = clock + CEILING_STEP;
      }
      return clock * PARTITIONS + number;
    }

    private long machine() {
      return Math.max(0, now + skew);
    }

    long present() {
      return tell(machine());
    }

    long tick(long floor) {
      return tell(Math.max(Math.max(clock, floor / PARTITIONS) + 1, machine()));
    }

    /** Raises the clock: later times are above this one. */
    void observe(long time) {
      tell(time / PARTITIONS + (time % PARTITIONS > number ? 1 : 0));
    }

    void restart() {
      skew -= random.nextInt(80);
      long known = logged / PARTITIONS + 1;
      clock = is(Mutant.NO_CLOCK_CEILING) ? known : Math.max(known, ceiling);
    }

    /** The time up to which nothing more will be committed here. */
    long stable() {
      return prepared.values().stream()
          .mapToLong(part -> part.time - 1)
          .min()
          .orElseGet(this::present);
    }

    void apply(Applied effect, Set<Integer> objects) {
      objects.forEach(
          object -> effects.computeIfAbsent(object, key -> new ArrayList<>()).add(effect));
      logged = Math.max(logged, effect.commit.get(effect.dataCentre));
    }

    boolean isAwaited(int object, VectorClock snapshot) {
      boolean isPrepared =
          prepared.values().stream()
              .anyMatch(
                  part -> part.time <= snapshot.get(dataCentre) && part.objects.contains(object));
      boolean isRemote = false;
      for (int from = 0; from < dataCentres; from++) {
        isRemote |= from != dataCentre && complete[from] < snapshot.get(from);
      }
      return (isPrepared && !is(Mutant.NO_PREPARED_WAIT))
          || (isRemote && !is(Mutant.NO_REMOTE_WAIT));
    }

    Set<Integer> read(int object, VectorClock snapshot) {
      return effects.getOrDefault(object, List.of()).stream()
          .filter(
              effect ->
                  is(Mutant.ORIGIN_ONLY_VISIBILITY)
                      ? effect.commit.get(effect.dataCentre) <= snapshot.get(effect.dataCentre)
                      : effect.commit.isAtOrBefore(snapshot))
          .map(Applied::transaction)
          .collect(toUnmodifiableSet());
    }

    void send() {
      long time = stable();
      List<StreamMessage> ready = new ArrayList<>();
      for (StreamMessage commit : unsent) {
        if (commit.time <= time || is(Mutant.SENT_UNORDERED)) {
          ready.add(commit);
        }
      }
      unsent.removeAll(ready);
      if (!is(Mutant.SENT_UNORDERED)) {
        ready.sort(Comparator.comparingLong(StreamMessage::time));
      }
      long told = is(Mutant.HEARTBEAT_OF_NOW) ? present() : time;
      ready.add(new StreamMessage(told, Optional.empty(), Set.of()));
      for (int to = 0; to < dataCentres; to++) {
        if (to != dataCentre) {
          partition(to, number).arriving.get(dataCentre).addAll(ready);
        }
      }
    }

    void receive(int from) {
      StreamMessage message = arriving.get(from).poll();
      if (message != null) {
        message.commit.ifPresent(effect -> apply(effect, message.objects));
        complete[from] = Math.max(complete[from], message.time);
        observe(message.time);
      }
    }
  }

  private enum Phase {
    READING,
    PREPARING,
    COMMITTING
  }

  /** A transaction in flight. */
  private static final class OpenTransaction {
    private final SimulatedTransaction seen;
    private final Client client;
    private final Deque<Integer> toRead = new ArrayDeque<>();
    private final Deque<Integer> partitions = new ArrayDeque<>();
    private final Map<Integer, Long> prepareTimes = new TreeMap<>();
    private Phase phase = Phase.READING;

    OpenTransaction(SimulatedTransaction seen, Client client) {
      this.seen = seen;
      this.client = client;
    }
  }

  private static final class Client {
    private final int number;
    private final int dataCentre;
    private VectorClock token = VectorClock.ZERO;
    private boolean isBusy;

    Client(int number, int dataCentre) {
      this.number = number;
      this.dataCentre = dataCentre;
    }
  }

  private final Random random;
  private final Optional<Mutant> mutant;
  private final int dataCentres;
  private final List<Partition> partitions = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private final List<OpenTransaction> running = new ArrayList<>();
  private final List<SimulatedTransaction> history = new ArrayList<>();
  private long now;

  SnapshotModel(long seed, Optional<Mutant> mutant) {
    this.random = new Random(seed);
    this.mutant = mutant;
    this.dataCentres = 1 + random.nextInt(MAX_DATA_CENTRES);
    for (int i = 0; i < dataCentres * PARTITIONS; i++) {
      partitions.add(new Partition(i / PARTITIONS, i % PARTITIONS));
    }
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(new Client(i, random.nextInt(dataCentres)));
    }
  }

  private boolean is(Mutant rule) {
    return mutant.equals(Optional.of(rule));
  }

  private Partition partition(int dataCentre, int number) {
    return partitions.get(dataCentre * PARTITIONS + number);
  }

  private Partition anyPartition() {
    return partitions.get(random.nextInt(partitions.size()));
  }

  /** Runs, comes to rest, and returns the violation; empty if there is none. */
  Optional<String> run() {
    for (int i = 0; i < STEPS; i++) {
      now += random.nextInt(3);
      step(random.nextInt(100));
    }
    comeToRest();
    for (int dataCentre = 0; dataCentre < dataCentres; dataCentre++) {
      Optional<String> violation = HistoryCheck.violation(history, List.of(), readAll(dataCentre));
      if (violation.isPresent()) {
        return violation;
      }
    }
    return Optional.empty();
  }

  private void step(int kind) {
    if (kind < 12) {
      begin(clients.get(random.nextInt(CLIENTS)));
    } else if (kind < 55) {
      if (!running.isEmpty()) {
        proceed(running.get(random.nextInt(running.size())));
      }
    } else if (kind < 72) {
      anyPartition().send();
    } else if (kind < 97) {
      Partition receiver = anyPartition();
      int from = random.nextInt(dataCentres);
      for (int i = random.nextInt(4); i >= 0; i--) {
        receiver.receive(from);
      }
    } else {
      anyPartition().restart();
    }
  }

  private void begin(Client client) {
    if (client.isBusy) {
      return;
    }
    SimulatedTransaction transaction =
        new SimulatedTransaction(
            history.size(), client.number, anySnapshot(client), Certification.NONE);
    transaction.dataCentre = client.dataCentre;
    history.add(transaction);
    OpenTransaction begun = new OpenTransaction(transaction, client);
    for (int i = random.nextInt(3); i >= 0; i--) {
      begun.toRead.add(random.nextInt(OBJECTS));
    }
    if (random.nextBoolean()) {
      begun.toRead.add(begun.toRead.getFirst());
    }
    running.add(begun);
    client.isBusy = true;
  }

  /** The others' times that all partitions have, or more; of the own, the present or less. */
  private VectorClock anySnapshot(Client client) {
    VectorClock snapshot = client.token;
    boolean isAhead = random.nextInt(3) == 0;
    for (int from = 0; from < dataCentres; from++) {
      long time = Long.MAX_VALUE;
      for (int number = 0; number < PARTITIONS; number++) {
        time = Math.min(time, partition(client.dataCentre, number).complete[from]);
      }
      if (from == client.dataCentre) {
        time = partition(from, random.nextInt(PARTITIONS)).present();
        if (random.nextInt(5) < 2) {
          time = Math.max(0, time - random.nextInt(30 * PARTITIONS));
        }
      } else if (isAhead) {
        time += random.nextInt(30);
      }
      snapshot = snapshot.with(from, Math.max(time, snapshot.get(from)));
    }
    return snapshot;
  }

  private void proceed(OpenTransaction transaction) {
    switch (transaction.phase) {
      case READING -> readOrEnd(transaction);
      case PREPARING -> prepare(transaction);
      case COMMITTING -> commit(transaction);
    }
  }

  private void readOrEnd(OpenTransaction transaction) {
    SimulatedTransaction seen = transaction.seen;
    Integer object = transaction.toRead.peek();
    if (object != null) {
      Partition partition = partition(seen.dataCentre, object % PARTITIONS);
      if (!is(Mutant.NO_PROMISE_ON_READ)) {
        partition.observe(seen.snapshot.get(seen.dataCentre));
      }
      if (!partition.isAwaited(object, seen.snapshot)) {
        transaction.toRead.remove();
        Set<Integer> found = partition.read(object, seen.snapshot);
        seen.reads.add(new Read(object, found, found.size(), found.size(), found.size()));
      }
      return;
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      seen.writes.add(random.nextInt(OBJECTS));
    }
    if (seen.writes.isEmpty()) {
      end(transaction, seen.snapshot);
      return;
    }
    transaction.phase = Phase.PREPARING;
    transaction.partitions.addAll(partitionsOf(seen));
  }

  private static Set<Integer> partitionsOf(SimulatedTransaction transaction) {
    Set<Integer> numbers = new TreeSet<>();
    transaction.writes.forEach(object -> numbers.add(object % PARTITIONS));
    return numbers;
  }

  private static Set<Integer> writesOn(SimulatedTransaction transaction, int partition) {
    return transaction.writes.stream()
        .filter(object -> object % PARTITIONS == partition)
        .collect(toUnmodifiableSet());
  }

  private void prepare(OpenTransaction transaction) {
    SimulatedTransaction seen = transaction.seen;
    int number = transaction.partitions.remove();
    Partition partition = partition(seen.dataCentre, number);
    long time = partition.tick(is(Mutant.NO_SNAPSHOT_FLOOR) ? 0 : seen.snapshot.max());
    partition.logged = Math.max(partition.logged, time);
    Set<Integer> objects = writesOn(seen, number);
    partition.prepared.put(seen.number, new Prepared(time, objects));
    transaction.prepareTimes.put(number, time);
    if (is(Mutant.EARLY_VISIBILITY)) {
      partition.apply(effect(seen, time), objects);
    }
    if (transaction.partitions.isEmpty()) {
      seen.time =
          transaction.prepareTimes.values().stream().mapToLong(Long::longValue).max().orElseThrow();
      transaction.phase = Phase.COMMITTING;
      transaction.partitions.addAll(partitionsOf(seen));
    }
  }

  private static Applied effect(SimulatedTransaction transaction, long time) {
    return new Applied(
        transaction.snapshot.with(transaction.dataCentre, time),
        transaction.number,
        transaction.dataCentre);
  }

  private void commit(OpenTransaction transaction) {
    SimulatedTransaction seen = transaction.seen;
    int number = transaction.partitions.remove();
    Partition partition = partition(seen.dataCentre, number);
    Applied effect =
        effect(
            seen,
            is(Mutant.OWN_PREPARE_TIME)
                ? transaction.prepareTimes.getOrDefault(number, seen.time)
                : seen.time);
    Set<Integer> objects = writesOn(seen, number);
    partition.prepared.remove(seen.number);
    long time = effect.commit.get(seen.dataCentre);
    partition.observe(time);
    if (!is(Mutant.EARLY_VISIBILITY)) {
      partition.apply(effect, objects);
    }
    partition.unsent.add(new StreamMessage(time, Optional.of(effect), objects));
    if (transaction.partitions.isEmpty()) {
      end(transaction, seen.snapshot.with(seen.dataCentre, seen.time));
    }
  }

  private void end(OpenTransaction transaction, VectorClock token) {
    transaction.seen.outcome = Outcome.ACKNOWLEDGED;
    transaction.client.token = transaction.client.token.join(token);
    transaction.client.isBusy = false;
    running.remove(transaction);
  }

  private void comeToRest() {
    for (OpenTransaction transaction : List.copyOf(running)) {
      if (transaction.phase == Phase.READING) {
        transaction.seen.outcome = Outcome.FAILED;
        running.remove(transaction);
      }
      while (running.contains(transaction)) {
        proceed(transaction);
      }
    }
    partitions.forEach(Partition::send);
    for (Partition partition : partitions) {
      for (int from = 0; from < dataCentres; from++) {
        while (!partition.arriving.get(from).isEmpty()) {
          partition.receive(from);
        }
      }
    }
  }

  private List<Read> readAll(int dataCentre) {
    List<Read> reads = new ArrayList<>();
    for (int object = 0; object < OBJECTS; object++) {
      Collection<Applied> effects =
          partition(dataCentre, object % PARTITIONS).effects.getOrDefault(object, List.of());
      Set<Integer> seen = effects.stream().map(Applied::transaction).collect(toUnmodifiableSet());
      reads.add(new Read(object, seen, effects.size(), seen.size(), seen.size()));
    }
    return reads;
  }
}
