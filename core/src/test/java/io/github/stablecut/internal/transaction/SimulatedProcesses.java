package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.materializer.VersionSource;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The partitions of a {@link Simulation} and their processes. A process has one clock, and crashes
 * or ends as a whole. Confined to one thread.
 */
interface SimulatedProcesses {
  int PARTITIONS = 3;

  /** Sends the messages of a process. */
  interface Transport {
    void send(int process, int partition, Message.ToPartition message);
  }

  /** Whether there is no other data centre, on which snapshots depend. */
  boolean isAlone();

  /** The data centre of the partitions: any of up to three. */
  LocalDataCentre local();

  /**
   * The others' commits that all partitions have. There are no other readers, so all dependencies
   * of their transactions are included.
   */
  VectorClock arrived();

  /** A part of the others' commits that all partitions have. */
  VectorClock someArrived();

  /** Notifies a listener of each process that ends. */
  void whenEnded(IntConsumer listener);

  /** Whether all partitions are in one process. */
  boolean isOne();

  int count();

  ActiveSnapshots active();

  long machineMillis(int process);

  /** The process of a partition. */
  int processOf(int partition);

  /** A process's clock; empty while it is down. */
  Optional<HybridClock> clock(int process);

  /** The process of a partition observes a time, as with each message. */
  default void observe(int partition, long time) {
    clock(processOf(partition)).ifPresent(clock -> clock.observe(time));
  }

  /** A partition; empty while nobody serves it. */
  Optional<Partition> get(int number);

  /**
   * A partition.
   *
   * @throws PartitionUnavailableException while nobody serves it
   */
  default Partition served(int number) {
    return get(number)
        .orElseThrow(() -> new PartitionUnavailableException("nobody serves " + number));
  }

  /** Whether a partition, which was served, still is. */
  default boolean isServed(int number, Partition partition) {
    return get(number).equals(Optional.of(partition));
  }

  /** The partitions that are served. */
  default List<Partition> open() {
    return IntStream.range(0, PARTITIONS).mapToObj(this::get).flatMap(Optional::stream).toList();
  }

  /** A partition that has several leaders; empty if none has. */
  default OptionalInt disputed() {
    return OptionalInt.empty();
  }

  /** A snapshot with all that was acknowledged on a partition. */
  default VectorClock present(Partition partition) {
    return partition.now();
  }

  /** Whether nothing changes any longer by itself. */
  default boolean isSettled() {
    return true;
  }

  /** It is an actor's turn, who may know a leader that has been deposed. */
  default void turnOf(Object actor) {}

  /** A message may arrive at a leader that has been deposed. */
  default void turnOfMessage() {}

  /** Whether clients use the partitions that are served while others are not. */
  default boolean mayLackPartitions() {
    return false;
  }

  /** All partitions, if every one is served. */
  default Optional<List<Partition>> allOpen() {
    List<Partition> open = open();
    return open.size() == PARTITIONS ? Optional.of(open) : Optional.empty();
  }

  /**
   * A partition's present answer; empty if it is not served, if a fault keeps it from answering, or
   * if it has truncated a snapshot whose registration has ended.
   */
  default <T> Optional<T> ask(int number, Function<Partition, Optional<T>> question) {
    try {
      return get(number).flatMap(question);
    } catch (SnapshotTruncatedException e) {
      return Optional.empty();
    } catch (RuntimeException e) {
      expect(e);
      return Optional.empty();
    }
  }

  /**
   * Reads from a replica that follows; empty if the snapshot is not known to be complete there, or
   * if there is none.
   */
  default <T> Optional<T> near(int number, VectorClock snapshot, Function<VersionSource, T> use) {
    return Optional.empty();
  }

  /** Why something grows without bound now that no fault happens; empty if nothing does. */
  default Optional<String> growth() {
    return Optional.empty();
  }

  /**
   * Checks an exception of the engine.
   *
   * @throws RuntimeException the given exception, unless a fault caused it
   */
  default void expect(RuntimeException thrown) {
    SimulatedFaults.expect(thrown);
  }

  /** Whether messages between two processes arrive. */
  default boolean isConnected(int from, int to) {
    return true;
  }

  /** Whether a process neither is down nor hangs. */
  default boolean isRunning(int process) {
    return clock(process).isPresent();
  }

  /** What others do until the present. */
  default void proceed() {}

  /** Runs the simulation's loop, possibly several times, each time from where it was. */
  default void loop(Runnable loop) {
    loop.run();
  }

  /** Runs an action of the loop that may have to wait for others; it then continues later. */
  default void startInLoop(Runnable action) {
    action.run();
  }

  /** Runs what may have to wait for others; it then continues later. */
  default void start(Runnable action) {
    action.run();
  }

  /**
   * Runs what may have to wait for others, who proceed meanwhile.
   *
   * @param others a step of those that processes do not run by themselves
   */
  default <T> T call(Supplier<T> action, Runnable others) {
    return action.get();
  }

  /** The caller, which was started, lets others proceed. */
  default void pause(Runnable step) {
    step.run();
  }

  /** Starts the processes that are down. */
  void openAll();

  /** Ends the process of a partition; unsynced data may be lost. */
  void crash(int partition);

  /** Closes the process of a partition in order. */
  void close(int partition);

  /** The journal's disk fails once while a group is written, and the process crashes. */
  void failInTheMiddle(int partition);

  /** Makes the clock of a machine jump forward, or come back. */
  void jump(int partition);

  /**
   * Makes the disk of a partition's checkpoints fail once, soon, possibly while the partition
   * opens.
   */
  void failDisk(int partition);

  /** Makes the next read of a partition's checkpoints fail, if the partition is open. */
  void failNextRead(int partition);

  /** Ends the faults of disks and machines. */
  void endFaults();

  /** Where asynchronous commits that were begun in a process, or on its partitions, complete. */
  Executor completions(int process);

  /** Makes the users' executors run their tasks. */
  void complete();

  /** Commits the groups of a partition. */
  void flushGroup(int partition);

  default void flushGroups() {
    IntStream.range(0, PARTITIONS).forEach(this::flushGroup);
  }

  /** Makes a checkpoint of a partition, truncates, and merges. */
  void maintain(int partition);

  /**
   * Checks that no journal has failed: its disk fails only in {@link #failInTheMiddle}, and other
   * failures are no reason.
   */
  void checkJournals();

  void tick();

  /** Ends everything that still waits. */
  default void end() {}
}
