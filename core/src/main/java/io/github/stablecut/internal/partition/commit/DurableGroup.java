package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.clock.PartitionClock;
import io.github.stablecut.internal.index.EffectBudget;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the results of a group of durable records, before it becomes visible. Confined to the
 * thread that flushes groups.
 */
final class DurableGroup {
  private final PartitionState state;
  private final EffectBudget budget;
  private final PartitionClock clock;
  private List<List<Bytes>> toFold = List.of();
  private VectorClock newestCommit = VectorClock.ZERO;
  private VectorClock received = VectorClock.ZERO;
  private long readElsewhere;
  private long effects;

  /**
   * @param budget limits the effects in memory
   * @param clock the clock whose ceiling records raise
   */
  DurableGroup(PartitionState state, EffectBudget budget, PartitionClock clock) {
    this.state = state;
    this.budget = budget;
    this.clock = clock;
  }

  /** Adds a committed transaction. */
  void commit(CommitRequest request) {
    effects += request.place(budget);
    state.durable(request);
    if (request.dataCentre() == state.local().number()) {
      newestCommit = newestCommit.join(request.commit().vector());
    } else {
      received = received.with(request.dataCentre(), request.commit().time());
      readElsewhere = Math.max(readElsewhere, state.local().timeIn(request.snapshot()));
    }
    if (!request.toFold().isEmpty()) {
      if (toFold.isEmpty()) {
        toFold = new ArrayList<>();
      }
      toFold.add(request.toFold());
    }
  }

  /** Raises the clock's ceiling. */
  void raiseCeiling(long ceiling) {
    clock.raiseCeiling(ceiling);
  }

  /** The least vector at which all commits of this data centre are visible; zero if none. */
  VectorClock newestCommit() {
    return newestCommit;
  }

  /** The commit times of the last transactions of other data centres; 0 where there is none. */
  VectorClock received() {
    return received;
  }

  /** The latest time of this data centre that a transaction of another one has read. */
  long readElsewhere() {
    return readElsewhere;
  }

  /** The number of effects. */
  long effects() {
    return effects;
  }

  /** The objects that are due for folding, by transaction. */
  List<List<Bytes>> toFold() {
    return toFold;
  }
}
