package io.github.stablecut.cluster.internal.node;

import io.github.stablecut.internal.recovery.NodePlan;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Writes small records to the node's directory on another thread. The node's actor asks for a
 * record again and again until it is on disk, so at most one write of each kind waits in the queue:
 * a disk that hangs must not fill it. Thread-safe.
 */
final class DirectoryRecords {
  private final Executor executor;
  private final Runnable writesFormed;
  private final Runnable writesMembers;
  private final Runnable writesPlan;
  private final AtomicBoolean isFormedQueued = new AtomicBoolean();
  private final AtomicBoolean isPlanQueued = new AtomicBoolean();
  private final AtomicBoolean isMembersQueued = new AtomicBoolean();

  /** The latest that were asked for. */
  private volatile Set<String> members = Set.of();

  private volatile Optional<NodePlan> plan = Optional.empty();

  /**
   * @param executor of one thread
   * @param writesFormed writes that all partitions of the cluster have been open
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

  /** Takes note of a newer plan; replaces what waits to be written. */
  void update(NodePlan newer) {
    plan = Optional.of(newer);
    queue(isPlanQueued, writesPlan);
  }

  /** Records that all partitions of the cluster have been open. */
  void markFormed() {
    queue(isFormedQueued, writesFormed);
  }

  /** Records the addresses of the cluster's members; replaces what waits to be written. */
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
      // The node is being closed, or its partitions' opening has filled the queue: asked again.
      isQueued.set(false);
    }
  }
}
