package io.github.stablecut.internal.partition;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.clock.PartitionClock;
import io.github.stablecut.internal.index.EffectBudget;
import java.util.ArrayList;
import java.util.List;

/**
 * What a group of durable records comes to, before it is visible. Confined to the thread that
 * flushes groups.
 */
final class DurableGroup {
  private final PartitionState state;
  private final EffectBudget budget;
  private final PartitionClock clock;
  private final List<List<Bytes>> toFold = new ArrayList<>(0);
  private long newestCommit;
  private long effects;

  /**
   * @param budget of the effects that are kept in memory
   * @param clock whose ceiling rises
   */
  DurableGroup(PartitionState state, EffectBudget budget, PartitionClock clock) {
    this.state = state;
    this.budget = budget;
    this.clock = clock;
  }

  /** A transaction is committed. */
  void commit(CommitRequest request) {
    effects += request.place(budget);
    state.durable(request);
    newestCommit = Math.max(newestCommit, request.commit().time());
    if (!request.toFold().isEmpty()) {
      toFold.add(request.toFold());
    }
  }

  /** The clock may tell times below a ceiling. */
  void raiseCeiling(long ceiling) {
    clock.raiseCeiling(ceiling);
  }

  /** The time of the newest commit; 0 if there is none. */
  long newestCommit() {
    return newestCommit;
  }

  /** The number of effects. */
  long effects() {
    return effects;
  }

  /** Objects whose lists of effects have become long, transaction by transaction. */
  List<List<Bytes>> toFold() {
    return toFold;
  }
}
