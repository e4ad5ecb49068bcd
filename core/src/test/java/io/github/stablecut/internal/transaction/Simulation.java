package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.transaction.NamesCheck.LastAssignment;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Read;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Clients of partitions, in one process or several, on one thread, in an order that a seed
 * determines. Messages are lost, repeated and reordered; processes crash and lose unsynced data,
 * also in the middle of a group, or end in order; clocks differ, step and jump; snapshots expire
 * before their transactions are committed, checkpoints and truncation happen, and disks of
 * checkpoints, clocks, codecs and executors fail. The data centre of the partitions is one of up to
 * three, and their snapshots depend on the others' commits. Confined to one thread.
 */
final class Simulation {
  private static final int PARTITIONS = SimulatedProcesses.PARTITIONS;
  private static final int MAX_OBJECTS = 6;
  private static final int SETTLING_STEPS = 20_000;

  /** With replicas, everything is settled two minutes after the last fault. */
  private static final int SETTLING_STEPS_OF_REPLICAS = 2_400;

  /** Most can go wrong while clients find two leaders: then time passes slowly. */
  private static final int SHORT_STEP_NANOS = 10_000_000;

  /** In the end, partitions tick once in about that many steps. */
  private static final int TICK_EVERY = 50;

  /** The kinds of steps from here on happen in storms. */
  private static final int STORM = 860;

  private static final int KINDS_OF_STEPS = 1_000;

  /** While the only thread waits for others' work, nothing does it. */
  private static final Duration USELESS_WAIT = Duration.ofMillis(1);

  private final Random random;
  private final Set<String> without;
  private final SimulatedFaults faults;
  private final SimulatedProcesses processes;
  private final SimulatedNetwork network;
  private final SimulatedObjects objects;
  private final SimulatedClients clients;
  private final SimulatedReads reads;
  private final SimulatedCommits commits;
  private final SimulatedRegisters registers;
  private final SimulatedChanges changes;

  private final int settlingSteps;

  /** Whether clients write on conditions, which may have to wait for others. */
  private final boolean hasRegisters;

  /** With small steps and differences the partitions' times coincide more often. */
  private final int maxStepNanos;

  private final int objectCount;

  /** The number of actions at a time. */
  private final int actions;

  /** The most messages that are delivered in a step. */
  private final int maxDelivered;

  /** In a storm partitions crash and truncate far more often than they work. */
  private final boolean isStorm;

  /** Whether disks of checkpoints, clocks and codecs fail. */
  private final boolean hasFaults;

  /** Whether messages inside a process arrive while they are sent, as in an embedded store. */
  private final boolean isDirect;

  /** Clients and others whose last action waits. */
  private final Set<Object> busy = new HashSet<>();

  private long nanos = 1;
  private int stepsTaken;
  private int settlingStepsTaken;

  /** The kind of a simulation's processes. */
  enum Kind {
    UNREPLICATED {
      @Override
      SimulatedProcesses processes(Simulation of) {
        return new UnreplicatedProcesses(
            of.random, options(of.random), () -> of.nanos, of::send, of.faults);
      }

      @Override
      int maxClients() {
        return 6;
      }
    },
    REPLICATED {
      @Override
      SimulatedProcesses processes(Simulation of) {
        return new ReplicatedProcesses(
            of.random,
            options(of.random).withCache(cache(of.random)),
            () -> of.nanos,
            of::send,
            of.faults,
            of.without);
      }

      @Override
      int maxClients() {
        return 24;
      }
    };

    abstract SimulatedProcesses processes(Simulation of);

    /** With few clients truncation follows soon. */
    abstract int maxClients();
  }

  Simulation(long seed) {
    this(seed, Kind.UNREPLICATED, Set.of());
  }

  /**
   * @param without the names of faults of replicas to leave out
   */
  Simulation(long seed, Kind kind, Set<String> without) {
    this.random = new Random(seed);
    this.without = without;
    this.hasRegisters = kind == Kind.REPLICATED;
    this.settlingSteps = kind == Kind.REPLICATED ? SETTLING_STEPS_OF_REPLICAS : SETTLING_STEPS;
    this.maxStepNanos =
        kind == Kind.REPLICATED ? 16_000_000 << random.nextInt(4) : 100_000 << random.nextInt(10);
    this.actions = kind == Kind.REPLICATED ? 4 << random.nextInt(4) : 1;
    this.maxDelivered = kind == Kind.REPLICATED ? 1 + random.nextInt(8) : 1;
    this.objectCount = 2 + random.nextInt(MAX_OBJECTS - 1);
    this.isStorm = random.nextInt(3) == 0;
    this.hasFaults = random.nextInt(3) == 0;
    this.isDirect = random.nextInt(3) == 0;
    this.network = new SimulatedNetwork(random);
    this.faults = new SimulatedFaults(random);
    this.processes = kind.processes(this);
    this.objects = new SimulatedObjects(random, processes, faults);
    this.clients = new SimulatedClients(random, processes, objects, objectCount, kind.maxClients());
    this.registers = new SimulatedRegisters(random, processes);
    this.changes = new SimulatedChanges(random, processes, objects, clients);
    this.reads = new SimulatedReads(processes, objects, clients.history());
    this.commits =
        new SimulatedCommits(
            random,
            () -> nanos,
            new SimulatedCommits.Context(
                processes,
                this::send,
                objects,
                () -> processes.pause(this::stepOthers),
                processes::start),
            clients,
            reads);
    processes.whenEnded(this::forget);
  }

  private static StoreOptions options(Random random) {
    return StoreOptions.defaults()
        .withLimits(LossyDisk.LIMITS.withSegmentBytes(1 << 20))
        .withIndex(random.nextInt(4) == 0 ? IndexOptions.off() : IndexOptions.defaults())
        .withCache(random.nextBoolean() ? CacheOptions.off() : CacheOptions.objects(3))
        .withTimeouts(
            StoreOptions.defaults()
                .timeouts()
                .withCommit(SimulatedCommits.TIMEOUT)
                .withRead(USELESS_WAIT))
        .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
  }

  /** Caches evict in an order that depends on the threads, so this one never evicts. */
  private static CacheOptions cache(Random random) {
    return random.nextBoolean() ? CacheOptions.off() : CacheOptions.objects(1_000);
  }

  /**
   * Runs some steps, waits until everything has settled, and returns the violation; empty if there
   * is none.
   */
  Optional<String> run(int steps) {
    processes.loop(() -> takeSteps(steps));
    settle();
    List<Read> last = call(this::readAll);
    if (hasRegisters) {
      call(
          () -> {
            changes.finish();
            return true;
          });
    }
    return HistoryCheck.violation(clients.history(), reads.done(), last)
        .or(registers::violation)
        .or(() -> changes.violation(clients.history()))
        .or(processes::growth)
        .or(() -> NamesCheck.violation(clients.history(), committed(last), call(this::giveAll)));
  }

  /** Runs what may have to wait for others, who proceed meanwhile. */
  private <T> T call(Supplier<T> action) {
    return processes.call(action, this::proceedCalmly);
  }

  private void proceedCalmly() {
    network.deliver(processes);
    if (random.nextInt(TICK_EVERY) == 0) {
      processes.tick();
    }
  }

  private void takeSteps(int steps) {
    while (stepsTaken < steps) {
      stepsTaken++;
      nanos += random.nextInt(processes.disputed().isPresent() ? SHORT_STEP_NANOS : maxStepNanos);
      processes.proceed();
      for (int action = 0; action < actions; action++) {
        step(random.nextInt(isStorm && random.nextInt(4) == 0 ? STORM : 0, KINDS_OF_STEPS));
      }
      commits.noticeLost();
      if (random.nextInt(4) == 0) {
        endReads();
      }
      if (random.nextInt(10) == 0) {
        retryCommits();
      }
      check();
    }
  }

  /** What the clients did and saw. */
  Collection<SimulatedTransaction> history() {
    return clients.history();
  }

  SimulatedChanges changes() {
    return changes;
  }

  SimulatedRegisters registers() {
    return registers;
  }

  /** The number of acknowledged transactions. */
  long acknowledged() {
    return history().stream()
        .filter(one -> one.outcome == SimulatedTransaction.Outcome.ACKNOWLEDGED)
        .count();
  }

  /** The nodes of a simulation with replicas. */
  ReplicatedProcesses replicated() {
    return (ReplicatedProcesses) processes;
  }

  /** Depends on what happened. */
  long digest() {
    long digest = replicated().cluster().digest();
    for (SimulatedTransaction one : history()) {
      digest = 31 * (31 * digest + one.outcome.name().hashCode()) + one.time;
    }
    return digest;
  }

  /** Ends what still waits. */
  void end() {
    processes.end();
  }

  /** Runs an action that may have to wait for others, unless the actor's last one does. */
  private void apart(Object actor, Runnable action) {
    if (busy.add(actor)) {
      processes.turnOf(actor);
      processes.startInLoop(
          () -> {
            try {
              action.run();
            } finally {
              busy.remove(actor);
            }
          });
    }
  }

  /** Runs an action of any client whose process runs. */
  private void act(Consumer<SimulatedClient> action) {
    SimulatedClient client = clients.any();
    if (processes.isRunning(client.home)) {
      apart(client, () -> action.accept(client));
    }
  }

  private void step(int kind) {
    if (kind < 12 && hasRegisters) {
      apart(changes, changes::step);
    } else if (kind < 140) {
      if (hasRegisters && random.nextInt(3) == 0) {
        act(client -> registers.use());
      } else {
        act(clients::begin);
      }
    } else if (kind < 460) {
      act(this::proceed);
    } else if (kind < 490) {
      if (hasRegisters && random.nextInt(4) > 0) {
        act(client -> registers.use());
      } else {
        int object = random.nextInt(objectCount);
        act(client -> reads.begin(client, object));
      }
    } else if (kind < 740) {
      if (hasFaults && random.nextInt(8) == 0) {
        // Few reads get as far as the disk.
        processes.failNextRead(anyPartition());
      }
      for (int i = random.nextInt(maxDelivered); i >= 0; i--) {
        network.deliver(processes);
      }
    } else if (kind < STORM) {
      processes.flushGroup(anyPartition());
    } else if (kind < 915) {
      tick();
    } else if (kind < 945) {
      if (random.nextInt(actions) == 0) {
        processes.maintain(anyPartition());
      }
    } else if (kind < 965) {
      processes.crash(anyPartition());
    } else if (kind < 970) {
      processes.failInTheMiddle(anyPartition());
    } else if (kind < 975) {
      processes.close(anyPartition());
    } else if (kind < 985 && hasFaults) {
      fail();
    } else {
      processes.openAll();
    }
  }

  private void proceed(SimulatedClient client) {
    for (int i = random.nextInt(actions); i >= 0; i--) {
      clients.proceed(client, commits);
    }
  }

  private void fail() {
    switch (random.nextInt(6)) {
      case 0 -> faults.failClock();
      case 1 -> faults.failCodec();
      case 2 -> processes.jump(anyPartition());
      default -> processes.failDisk(anyPartition());
    }
  }

  /** Steps of others while a client waits. */
  private void stepOthers() {
    nanos += random.nextInt(maxStepNanos);
    network.deliver(processes);
    processes.flushGroup(anyPartition());
    if (random.nextInt(4) == 0) {
      processes.openAll();
    }
  }

  private void endReads() {
    if (reads.areWaiting()) {
      apart(reads, reads::endSettled);
    }
  }

  private void retryCommits() {
    if (commits.hasRetries()) {
      apart(commits, commits::retry);
    }
  }

  private void check() {
    processes.checkJournals();
    commits.check();
  }

  private void forget(int process) {
    clients.forget(process);
    commits.forget(process);
  }

  private int anyPartition() {
    return random.nextInt(PARTITIONS);
  }

  /** Sends a message from a process; one that is down sends nothing. */
  private void send(int process, int partition, Message.ToPartition message) {
    if (isDirect && processes.isOne()) {
      processes.get(partition).ifPresent(receiver -> receiver.receive(message));
    } else {
      processes
          .clock(process)
          .ifPresent(clock -> network.send(process, clock.issued(), partition, message));
    }
  }

  private void tick() {
    processes.tick();
    commits.tick();
  }

  // The end.

  private void settle() {
    commits.settle();
    network.makeReliable();
    faults.end();
    processes.endFaults();
    processes.loop(this::takeSettlingSteps);
    if (!isSettled()) {
      throw new AssertionError("does not settle, %s: %s".formatted(processes, clients.history()));
    }
    processes.flushGroups();
    clients.giveUp();
  }

  private void takeSettlingSteps() {
    while (settlingStepsTaken < settlingSteps && !isSettled()) {
      settlingStepsTaken++;
      nanos += 50_000_000;
      processes.openAll();
      processes.proceed();
      commits.noticeLost();
      endReads();
      retryCommits();
      for (int message = 0; message < maxDelivered; message++) {
        network.deliver(processes);
      }
      processes.flushGroups();
      processes.complete();
      tick();
      check();
    }
  }

  private boolean isSettled() {
    return network.isEmpty()
        && busy.isEmpty()
        && commits.areOver()
        && clients.areIdle()
        && processes.isSettled()
        && processes.allOpen().stream()
                .flatMap(List::stream)
                .filter(partition -> partition.inDoubt().isEmpty())
                .count()
            == PARTITIONS;
  }

  /** A snapshot of all commits. */
  private VectorClock now() {
    for (int attempt = 0; attempt < SETTLING_STEPS; attempt++) {
      try {
        VectorClock now = processes.arrived();
        for (int number = 0; number < PARTITIONS; number++) {
          VectorClock present = processes.present(processes.served(number));
          now = processes.local().raise(now, processes.local().timeIn(present));
        }
        return now;
      } catch (RuntimeException e) {
        processes.expect(e);
        processes.pause(processes::openAll);
      }
    }
    throw new AssertionError("a partition is not served, %s".formatted(processes));
  }

  private List<Read> readAll() {
    VectorClock now = now();
    List<Read> all = new ArrayList<>();
    for (int object = 0; object < objectCount; object++) {
      all.add(read(object, now));
    }
    return all;
  }

  private Read read(int object, VectorClock snapshot) {
    for (int attempt = 0; attempt < SETTLING_STEPS; attempt++) {
      Optional<Read> read =
          processes.ask(
              SimulatedObjects.partitionOf(object), open -> objects.read(open, object, snapshot));
      if (read.isPresent()) {
        return read.get();
      }
      processes.pause(processes::flushGroups);
    }
    throw new AssertionError("%d is not settled at %s, %s".formatted(object, snapshot, processes));
  }

  private Collection<SimulatedTransaction> committed(List<Read> last) {
    Set<Integer> numbers = new HashSet<>();
    last.forEach(read -> numbers.addAll(read.seen()));
    return clients.history().stream().filter(one -> numbers.contains(one.number)).toList();
  }

  /** Assigns something of any kind to each name. */
  private List<LastAssignment> giveAll() {
    List<LastAssignment> gifts = new ArrayList<>();
    for (int name = 0; name < clients.names(); name++) {
      int kind = random.nextInt(SimulatedObjects.KINDS);
      gifts.add(new LastAssignment(name, kind, isAccepted(name, kind)));
    }
    return gifts;
  }

  private boolean isAccepted(int name, int kind) {
    for (int attempt = 0; attempt < SETTLING_STEPS; attempt++) {
      try {
        Partition partition = processes.served(SimulatedObjects.partitionOf(name));
        CommitRequest.Part gift = objects.gift(name, kind, now());
        partition.commitAsync(CommitRequest.of(gift, TransactionMetadata.none()), Runnable::run);
        processes.flushGroup(SimulatedObjects.partitionOf(name));
        return true;
      } catch (TypeMismatchException e) {
        return false;
      } catch (RuntimeException e) {
        processes.expect(e);
        processes.pause(processes::flushGroups);
      }
    }
    throw new AssertionError("nobody takes a gift of name " + name);
  }
}
