package io.github.stablecut.internal.transaction;

import static io.github.stablecut.internal.transaction.SimulatedObjects.partitionOf;
import static java.util.stream.Collectors.toUnmodifiableSet;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.transaction.SimulatedTransaction.LatestRead;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads of the latest state of objects in a {@link Simulation}. Confined to one thread. */
final class SimulatedReads {
  /** A read that waits until its visible transactions are decided. */
  private record WaitingRead(
      int object, Partition partition, VectorClock present, Set<Integer> acknowledged) {}

  private final SimulatedProcesses processes;
  private final SimulatedObjects objects;
  private final Collection<SimulatedTransaction> history;
  private final List<WaitingRead> waiting = new ArrayList<>();
  private final List<LatestRead> done = new ArrayList<>();

  /**
   * @param history the clients' transactions; grows
   */
  SimulatedReads(
      SimulatedProcesses processes,
      SimulatedObjects objects,
      Collection<SimulatedTransaction> history) {
    this.processes = processes;
    this.objects = objects;
    this.history = history;
  }

  List<LatestRead> done() {
    return done;
  }

  /** Reads the latest state of an object, for a client that begins no transaction. */
  void begin(SimulatedClient client, int object) {
    Optional<HybridClock> clock = processes.clock(client.home);
    Optional<Partition> partition = processes.get(partitionOf(object));
    if (clock.isEmpty() || partition.isEmpty()) {
      return;
    }
    Set<Integer> acknowledged =
        history.stream()
            .filter(one -> one.outcome == Outcome.ACKNOWLEDGED && one.writes.contains(object))
            .map(one -> one.number)
            .collect(toUnmodifiableSet());
    processes.observe(partitionOf(object), clock.get().issued());
    processes
        .ask(partitionOf(object), open -> present(open, object))
        .ifPresent(
            present ->
                waiting.add(new WaitingRead(object, partition.get(), present, acknowledged)));
  }

  private Optional<VectorClock> present(Partition partition, int object) {
    try {
      return Optional.of(partition.present(objects.idOf(object)));
    } catch (ReadTimeoutException e) {
      // Something is undecided.
      return Optional.empty();
    }
  }

  /** Whether reads wait. */
  boolean areWaiting() {
    return !waiting.isEmpty();
  }

  /** Ends the reads that need not wait any longer. */
  void endSettled() {
    for (WaitingRead read : List.copyOf(waiting)) {
      if (processes.isServed(partitionOf(read.object), read.partition)) {
        processes
            .ask(partitionOf(read.object), partition -> seen(read.partition, read))
            .ifPresent(
                seen -> {
                  waiting.remove(read);
                  done.add(new LatestRead(read.object, read.acknowledged, seen));
                });
      } else {
        waiting.remove(read);
      }
    }
  }

  private Optional<Set<Integer>> seen(Partition partition, WaitingRead read) {
    return partition.isSettled(objects.idOf(read.object), read.present)
        ? Optional.of(objects.transactionsOn(partition::versionAt, read.object, read.present))
        : Optional.empty();
  }
}
