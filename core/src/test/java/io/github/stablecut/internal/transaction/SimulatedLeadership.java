package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.replica.LogReplicator;
import io.github.stablecut.journal.LogDeposedException;
import io.github.stablecut.journal.LogReplicas;
import io.github.stablecut.journal.PendingRecord;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The leadership of a {@link ReplicatedNode}'s replica: what waits for other replicas lets the
 * simulation continue meanwhile. Confined to one thread.
 */
final class SimulatedLeadership implements LogReplicas {
  private final SimulatedTasks tasks;
  private final ReplicatedNode node;
  private final LogReplicator replicator;
  private @Nullable Partition partition;
  private long epoch;
  private boolean isFlushing;
  private boolean isMaintaining;
  private boolean isEnding;

  /** Whether an action closes the partition, which flushes, too. */
  private boolean isClosing;

  private boolean isClosed;

  /** What the action that ends this leadership waits for. */
  private final Object end = new Object();

  SimulatedLeadership(SimulatedTasks tasks, ReplicatedNode node, LogReplicator replicator) {
    this.tasks = tasks;
    this.node = node;
    this.replicator = replicator;
  }

  /** The partition serves. */
  void begin(Partition led, long newEpoch) {
    partition = led;
    epoch = newEpoch;
    led.flushBy(this::flush);
  }

  ReplicatedNode node() {
    return node;
  }

  long epoch() {
    return epoch;
  }

  Partition partition() {
    if (partition == null) {
      throw new IllegalStateException("the partition does not serve yet");
    }
    return partition;
  }

  /** Whether its partition takes requests. */
  boolean isServing() {
    return partition != null && !isEnding && !node.isDown();
  }

  /** Whether nothing that it writes becomes durable. */
  private boolean isOver() {
    return node.isDown() || replicator.isDecided(Long.MAX_VALUE);
  }

  /** Waits, but not in the middle of its node's pause. */
  private void await(Object subject, BooleanSupplier isReady) {
    tasks.await(subject, () -> node.isDown() || (!node.isFrozen() && isReady.getAsBoolean()));
  }

  /** Makes appended records durable, or fails them. */
  void flush() {
    await(this, () -> !isFlushing && !isClosing);
    // Once the node is down, the other flush is about to fail.
    tasks.await(this, () -> !isFlushing && !isClosing);
    if (isClosed) {
      return;
    }
    isFlushing = true;
    try {
      partition().flushGroup();
    } finally {
      isFlushing = false;
    }
  }

  /** Begins to flush what is queued, unless a flush is in progress. */
  void flushLater() {
    if (!isFlushing && isServing() && partition().hasQueued()) {
      tasks.start(this::flush);
    }
  }

  /** Begins to make a checkpoint, unless one is in progress. */
  void maintainLater() {
    if (!isMaintaining && isServing()) {
      isMaintaining = true;
      tasks.start(
          () -> {
            try {
              partition().maintain();
            } finally {
              isMaintaining = false;
            }
          });
    }
  }

  /** Takes no more requests, and waits for those in progress. */
  void end() {
    isEnding = true;
    if (tasks.isRunning()) {
      await(end, () -> !tasks.isAwaited(this));
      // Once the node is down, the others are about to fail.
      tasks.await(end, () -> !tasks.isAwaited(this));
      isClosing = true;
    } else {
      tasks.finish(this, end);
    }
  }

  /** The action that called {@link #end} has closed the partition. */
  void ended() {
    isClosed = isClosing || isClosed;
    isClosing = false;
  }

  @Override
  public void send(long first, List<PendingRecord> group) {
    replicator.send(first, group);
  }

  @Override
  public void await(long next) {
    await(isClosing ? end : this, () -> replicator.isDecided(next));
    if (node.isDown()) {
      throw new LogDeposedException("the node is down");
    }
    replicator.await(next);
  }

  @Override
  public CompletionStage<Boolean> confirm() {
    CompletableFuture<Boolean> asked = replicator.confirm();
    if (tasks.isRunning()) {
      await(this, () -> asked.isDone() || isOver());
      if (!asked.isDone()) {
        return CompletableFuture.completedFuture(false);
      }
    }
    return asked;
  }

  @Override
  public void checkRoom() {
    replicator.checkRoom();
  }

  @Override
  public int largestRecord() {
    return replicator.largestRecord();
  }

  @Override
  public boolean mayLackRoom() {
    return replicator.mayLackRoom();
  }

  @Override
  public long oldestNeeded() {
    return replicator.oldestNeeded();
  }
}
