package io.github.stablecut.cluster.internal.node;

import io.github.stablecut.internal.recovery.NodePlan;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Writes small records to the node's directory on another thread. The node's actor repeats its
 * requests until a record is on disk, so at most one write of each kind is queued: a hanging disk
 * must not fill the queue. Thread-safe.
 */
final class DirectoryRecords {
  private final Executor executor;
  private final Runnable writesFormed;
  private final Runnable writesMembers;
  private final Runnable writesPlan;
  private final AtomicBoolean isFormedQueued = new AtomicBoolean();
  private final AtomicBoolean isPlanQueued = new AtomicBoolean();
  private final AtomicBoolean isMembersQueued = new AtomicBoolean();

  /** The latest requested records. */
  private volatile Set<String> members = Set.of();

  private volatile Optional<NodePlan> plan = Optional.empty();

  /**
   * @param executor a single thread
   * @param writesFormed records that all partitions of the cluster have been open
   * @param writesMembers writes the addresses of the cluster's members
   * @param writesPlan writes a newer plan
   */
  DirectoryRecords(
      Executor executor,
      Runnable writesFormed,
      Consumer<Set<String>> writesMembers,
      Consumer<NodePlan> writesPlan) {
    this.executor = executor;
    this.writesFormed = writesFormed;
    this.writesMembers = () -> writesMembers.accept(members);
    this.writesPlan = () -> plan.ifPresent(writesPlan);
  }

  /** Records a newer plan; replaces a queued one. */
  void update(NodePlan newer) {
    plan = Optional.of(newer);
    queue(isPlanQueued, writesPlan);
  }

  /** Records that all partitions of the cluster have been open. */
  void markFormed() {
    queue(isFormedQueued, writesFormed);
  }

  /** Records the addresses of the cluster's members; replaces queued ones. */
  void remember(Set<String> addresses) {
    members = Set.copyOf(addresses);
    queue(isMembersQueued, writesMembers);
  }

  private void queue(AtomicBoolean isQueued, Runnable write) {
    if (!isQueued.compareAndSet(false, true)) {
      return;
    }
    try {
      executor.execute(
          () -> {
            isQueued.set(false);
            write.run();
          });
    } catch (RejectedExecutionException e) {
      // The node is closing, or the opening of partitions fills the queue: the actor retries.
      isQueued.set(false);
    }
  }
}
