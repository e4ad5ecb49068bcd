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
import io.github.stablecut.internal.replica.ConfigurationRegister;
import io.github.stablecut.internal.replica.LogReplicator;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.thread.CompletionExecutor;
import io.github.stablecut.journal.LogReplicas;
import io.github.stablecut.journal.segment.SegmentStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One run of a node of {@link ReplicatedProcesses}, from its start to its crash or end. It has a
 * replica of each partition. Confined to one thread.
 */
final class ReplicatedNode {
  private static final long MILLI = 1_000_000;

  private final ReplicatedProcesses processes;
  private final Random random;
  private final SimulatedTasks tasks;
  private final int index;
  private final String name;
  private final HybridClock clock;
  private final CompletionExecutor completions;
  private final List<SimulatedReplicaDisk> disks;
  private final List<Place> places = new ArrayList<>();
  private boolean isDown;
  private boolean isEnding;
  private long frozenUntil;

  ReplicatedNode(
      ReplicatedProcesses processes,
      Random random,
      SimulatedTasks tasks,
      int index,
      String name,
      HybridClock clock,
      CompletionExecutor completions,
      List<SimulatedReplicaDisk> disks) {
    this.processes = processes;
    this.random = random;
    this.tasks = tasks;
    this.index = index;
    this.name = name;
    this.clock = clock;
    this.completions = completions;
    this.disks = List.copyOf(disks);
  }

  /** Opens the replicas. */
  void start() {
    for (int number = 0; number < disks.size(); number++) {
      Place place = new Place(number, disks.get(number));
      places.add(place);
      place.start();
    }
  }

  int index() {
    return index;
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

  SimulatedReplicaDisk disk(int number) {
    return disks.get(number);
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
    return processes.now() < frozenUntil;
  }

  /** Whether no replica has failed, or is about to notice that its journal has. */
  boolean isWell() {
    return !isEnding && places.stream().allMatch(Place::isWell);
  }

  /** Runs an action once the node is not frozen, unless it goes down before. */
  void whenRunning(Runnable action) {
    if (isFrozen()) {
      processes.at(frozenUntil, () -> whenRunning(action));
    } else if (!isDown) {
      action.run();
    }
  }

  void receive(int number, String from, ReplicaMessage message) {
    Place place = places.get(number);
    place.replica().receive(from, message);
    place.replica().handleEvents();
  }

  /** The partition that it leads; empty if it doesn't. */
  Optional<SimulatedLeadership> leadership(int number) {
    return places.size() <= number
        ? Optional.empty()
        : Optional.ofNullable(places.get(number).leadership).filter(SimulatedLeadership::isServing);
  }

  PartitionReplica replica(int number) {
    return places.get(number).replica();
  }

  /** Transfers the leadership of a partition to another node. */
  void leave(int number, String to) {
    places.get(number).leave(to);
  }

  /** Ends in order: other replicas lead before. */
  void end() {
    if (isEnding) {
      return;
    }
    isEnding = true;
    for (Place place : places) {
      place.replica().retire();
      place.isHandingOver = true;
      tasks.start(
          () -> {
            place.end(() -> place.replica().handOver(Duration.ZERO));
            place.isHandingOver = false;
          });
    }
    processes.at(
        processes.now() + (1 + random.nextInt(1_500)) * MILLI, () -> whenRunning(this::close));
  }

  private void close() {
    int[] open = {places.size()};
    for (Place place : places) {
      tasks.start(
          () -> {
            tasks.await(place, () -> !place.isHandingOver);
            place.end(() -> place.replica().close());
            open[0]--;
            if (open[0] == 0 && !isDown) {
              processes.ended(this);
            }
          });
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Place place : places) {
      text.append("\n  ").append(place.replica().status());
      leadership(place.number)
          .ifPresent(led -> text.append(", in doubt ").append(led.partition().inDoubt()));
    }
    return text.toString();
  }

  /** The environment of the replica of one partition. */
  private final class Place implements ReplicaContext, ReplicaExecution, ConfigurationRegister {
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
      PartitionOptions options = processes.partitionOptions(number);
      disk.listen(
          step -> {
            if (!isDown) {
              processes.crashes(index, step);
            }
          });
      replica =
          PartitionReplica.start(
              name, Configuration.first(ReplicatedProcesses.NAMES), options, disk, this, this);
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
        processes.expect(e);
      } finally {
        if (ending != null) {
          ending.ended();
        }
      }
    }

    private void tickLater() {
      processes.at(
          processes.now() + (200 + random.nextInt(100)) * MILLI,
          () ->
              whenRunning(
                  () -> {
                    tickLater();
                    replica().handleEvents();
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
      processes.installed();
      disk.install(first, epoch);
    }

    @Override
    public ReplicaTiming clock() {
      return new ReplicaTiming(1, processes::now);
    }

    @Override
    public ReplicaExecution execution() {
      return this;
    }

    @Override
    public void send(String to, ReplicaMessage message) {
      if (!isDown) {
        processes.send(ReplicatedNode.this, number, to, message);
      }
    }

    @Override
    public PartitionContext context(long epoch) {
      return PartitionContext.builder(
              epoch,
              clock,
              processes.active(),
              (partition, message) -> {
                if (!isDown) {
                  processes.send(index, partition, message);
                }
              })
          .nanoTime(processes::now)
          .build();
    }

    @Override
    public void leads(Partition partition, long epoch) {
      SimulatedLeadership leading = leadership;
      if (leading == null) {
        throw new IllegalStateException("nothing replicates the log");
      }
      leading.begin(partition, epoch);
      processes.leads(number, leading);
    }

    @Override
    public void leave(String node) {
      if (!isLeaving) {
        isLeaving = true;
        processes.at(
            processes.now() + (1 + random.nextInt(50)) * MILLI,
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

    /** Runs it later, or when somebody waits for it. */
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
      processes.at(
          processes.now() + random.nextInt(100) * MILLI,
          () ->
              whenRunning(
                  () -> {
                    once.run();
                    replica().handleEvents();
                  }));
      return once;
    }

    @Override
    public LogReplicas awaited(LogReplicator replicator) {
      SimulatedLeadership next = new SimulatedLeadership(tasks, ReplicatedNode.this, replicator);
      leadership = next;
      return next;
    }

    @Override
    public CompletionStage<Configuration> read(int partition) {
      CompletableFuture<Configuration> answer = new CompletableFuture<>();
      processes.askRegister(
          ReplicatedNode.this,
          () -> {
            Configuration current = processes.configuration(partition);
            return () -> answer.complete(current);
          },
          () -> answer.completeExceptionally(new IllegalStateException("no answer")),
          this::handle);
      return answer;
    }

    @Override
    public CompletionStage<Boolean> replace(int partition, Configuration next) {
      CompletableFuture<Boolean> answer = new CompletableFuture<>();
      processes.askRegister(
          ReplicatedNode.this,
          () -> {
            boolean hasWon = processes.replace(partition, next);
            return () -> answer.complete(hasWon);
          },
          () -> answer.completeExceptionally(new IllegalStateException("no answer")),
          this::handle);
      return answer;
    }

    private void handle() {
      replica().handleEvents();
    }
  }
}
