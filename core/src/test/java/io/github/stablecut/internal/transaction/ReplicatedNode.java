package io.github.stablecut.internal.transaction;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.partition.replicated.PartitionReplica;
import io.github.stablecut.internal.partition.replicated.ReplicaContext;
import io.github.stablecut.internal.partition.replicated.ReplicaExecution;
import io.github.stablecut.internal.partition.replicated.ReplicaTiming;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.LogReplicator;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.thread.CompletionExecutor;
import io.github.stablecut.journal.LogReplicas;
import io.github.stablecut.journal.segment.SegmentStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of a node of {@link SimulatedCluster}, from its start to its crash or end. It has a
 * replica of each partition. Confined to one thread.
 */
final class ReplicatedNode {
  private static final long MILLI = SimulatedTime.MILLI;

  private final SimulatedCluster cluster;
  private final Random random;
  private final SimulatedTime time;
  private final SimulatedTasks tasks;
  private final SimulatedMachine machine;
  private final String name;
  private final HybridClock clock;
  private final CompletionExecutor completions;
  private final Map<Integer, Place> places = new TreeMap<>();
  private boolean isDown;
  private boolean isEnding;
  private long frozenUntil;

  ReplicatedNode(
      SimulatedCluster cluster,
      Random random,
      SimulatedMachine machine,
      HybridClock clock,
      CompletionExecutor completions) {
    this.cluster = cluster;
    this.random = random;
    this.time = cluster.time();
    this.tasks = cluster.tasks();
    this.machine = machine;
    this.name = machine.name();
    this.clock = clock;
    this.completions = completions;
  }

  /** Opens the replicas. */
  void start() {
    machine.disks().forEach((number, disk) -> places.put(number, new Place(number, disk)));
    places.values().forEach(Place::start);
  }

  int index() {
    return machine.index();
  }

  String name() {
    return name;
  }

  HybridClock clock() {
    return clock;
  }

  CompletionExecutor completions() {
    return completions;
  }

  boolean isDown() {
    return isDown;
  }

  /** Ends the run at once: nothing that it does from now on has an effect. */
  void crash() {
    isDown = true;
  }

  void freeze(long until) {
    frozenUntil = until;
  }

  void thaw() {
    frozenUntil = 0;
  }

  boolean isFrozen() {
    return time.now() < frozenUntil;
  }

  /** Whether no replica has failed, or is about to notice that its journal has. */
  boolean isWell() {
    return !isEnding && places.values().stream().allMatch(Place::isWell);
  }

  /** Runs an action once the node is not frozen, unless it goes down before. */
  void whenRunning(Runnable action) {
    if (isFrozen()) {
      time.at(frozenUntil, () -> whenRunning(action));
    } else if (!isDown) {
      action.run();
    }
  }

  void receive(int number, String from, ReplicaMessage message) {
    Place place = places.get(number);
    if (place != null) {
      cluster.trace(time.now());
      cluster.trace(message.getClass().getSimpleName());
      place.replica().receive(from, message);
      place.handle();
    }
  }

  /** The partition that it leads; empty if it doesn't. */
  Optional<SimulatedLeadership> leadership(int number) {
    return Optional.ofNullable(places.get(number))
        .flatMap(place -> Optional.ofNullable(place.leadership))
        .filter(SimulatedLeadership::isServing);
  }

  /** Its replica of a partition; empty if it has none. */
  Optional<PartitionReplica> replica(int number) {
    return Optional.ofNullable(places.get(number)).map(Place::replica);
  }

  Stream<PartitionReplica> replicas() {
    return places.values().stream().map(Place::replica);
  }

  /** Transfers the leadership of a partition to another node. */
  void leave(int number, String to) {
    Optional.ofNullable(places.get(number)).ifPresent(place -> place.leave(to));
  }

  /** Ends in order: other replicas lead before. */
  void end() {
    if (isEnding) {
      return;
    }
    isEnding = true;
    for (Place place : places.values()) {
      place.replica().retire();
      place.isHandingOver = true;
      tasks.start(
          () -> {
            place.end(() -> place.replica().handOver(Duration.ZERO));
            place.isHandingOver = false;
          });
    }
    time.at(time.now() + (1 + random.nextInt(1_500)) * MILLI, () -> whenRunning(this::close));
  }

  private void close() {
    int[] open = {places.size()};
    for (Place place : places.values()) {
      tasks.start(
          () -> {
            tasks.await(place, () -> !place.isHandingOver);
            place.end(() -> place.replica().close());
            open[0]--;
            if (open[0] == 0 && !isDown) {
              cluster.ended(this);
            }
          });
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Place place : places.values()) {
      text.append("\n  ").append(place.replica().status());
      leadership(place.number)
          .ifPresent(led -> text.append(", in doubt ").append(led.partition().inDoubt()));
    }
    return text.toString();
  }

  /** The environment of the replica of one partition. */
  private final class Place implements ReplicaContext, ReplicaExecution {
    private final int number;
    private final SimulatedReplicaDisk disk;
    private @Nullable PartitionReplica replica;
    private @Nullable SimulatedLeadership leadership;
    private boolean isLeaving;
    private boolean isHandingOver;

    Place(int number, SimulatedReplicaDisk disk) {
      this.number = number;
      this.disk = disk;
    }

    void start() {
      PartitionOptions options = cluster.partitionOptions(number);
      disk.listen(
          step -> {
            if (!isDown) {
              cluster.stepTaken(ReplicatedNode.this, step);
            }
          });
      replica =
          PartitionReplica.start(
              name,
              Configuration.first(SimulatedCluster.NAMES),
              options,
              disk,
              cluster.register().of(ReplicatedNode.this, this::handle),
              this);
      tickLater();
    }

    PartitionReplica replica() {
      if (replica == null) {
        throw new IllegalStateException("the replica is not open yet");
      }
      return replica;
    }

    boolean isWell() {
      return !isLeaving
          && replica != null
          && replica().status().failure().isEmpty()
          && leadership(number).flatMap(led -> led.partition().failure()).isEmpty();
    }

    /** Runs an action that may close the partition. */
    void end(Runnable action) {
      SimulatedLeadership ending = leadership;
      try {
        action.run();
      } catch (RuntimeException e) {
        ReplicatedProcesses.expectRefusal(e);
      } finally {
        if (ending != null) {
          ending.ended();
        }
      }
    }

    private void tickLater() {
      time.at(
          time.now() + (200 + random.nextInt(100)) * MILLI,
          () ->
              whenRunning(
                  () -> {
                    tickLater();
                    handle();
                  }));
    }

    @Override
    public SegmentStore journal() {
      return disk.files().journal();
    }

    @Override
    public Directory checkpoints() {
      return disk.files().checkpoints();
    }

    @Override
    public Directory incoming() {
      return disk.newIncoming();
    }

    @Override
    public void dropIncoming() {
      disk.newIncoming();
    }

    @Override
    public void install(long first, long epoch) {
      cluster.installed();
      disk.install(first, epoch);
    }

    @Override
    public ReplicaTiming clock() {
      return new ReplicaTiming(1, machine::nanos);
    }

    @Override
    public ReplicaExecution execution() {
      return this;
    }

    @Override
    public void send(String to, ReplicaMessage message) {
      if (!isDown) {
        cluster.send(ReplicatedNode.this, number, to, message);
      }
    }

    @Override
    public PartitionContext context(long epoch) {
      return PartitionContext.builder(
              epoch,
              clock,
              cluster.active(),
              (partition, message) -> {
                if (!isDown) {
                  cluster.send(ReplicatedNode.this, partition, message);
                }
              })
          .nanoTime(machine::nanos)
          .build();
    }

    @Override
    public void leads(Partition partition, long epoch) {
      SimulatedLeadership leading = leadership;
      if (leading == null) {
        throw new IllegalStateException("nothing replicates the log");
      }
      leading.begin(partition, epoch);
      cluster.leads(number, leading);
    }

    @Override
    public void leave(String node) {
      if (!isLeaving) {
        isLeaving = true;
        time.at(
            time.now() + (1 + random.nextInt(50)) * MILLI,
            () ->
                whenRunning(
                    () ->
                        tasks.start(
                            () -> {
                              try {
                                end(() -> replica().giveWay(node, Duration.ZERO));
                              } finally {
                                isLeaving = false;
                              }
                            })));
      }
    }

    @Override
    public void follows(Partition led) {
      SimulatedLeadership leading = leadership;
      if (leading != null && leading.partition().equals(led)) {
        leading.end();
      }
    }

    @Override
    public boolean hasThreads() {
      return false;
    }

    @Override
    public Executor newMutex() {
      boolean[] isHeld = {false};
      return action -> {
        tasks.await(isHeld, () -> !isHeld[0]);
        isHeld[0] = true;
        try {
          action.run();
        } finally {
          isHeld[0] = false;
        }
      };
    }

    /** Runs it later, or when a caller waits for it. */
    @Override
    public Runnable start(String what, Runnable work) {
      Runnable once =
          new Runnable() {
            private boolean isDone;

            @Override
            public void run() {
              if (!isDone) {
                isDone = true;
                work.run();
              }
            }
          };
      time.at(
          time.now() + random.nextInt(100) * MILLI,
          () ->
              whenRunning(
                  () -> {
                    once.run();
                    handle();
                  }));
      return once;
    }

    @Override
    public LogReplicas awaited(LogReplicator replicator) {
      SimulatedLeadership next = new SimulatedLeadership(tasks, ReplicatedNode.this, replicator);
      leadership = next;
      return next;
    }

    private void handle() {
      replica().handleEvents();
    }
  }
}
