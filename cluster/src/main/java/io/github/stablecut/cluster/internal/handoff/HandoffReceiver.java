package io.github.stablecut.cluster.internal.handoff;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.internal.membership.MoveProgress;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.recovery.MoveMark;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Receives handoffs: copies a partition while its owner serves, has the owner close it, copies the
 * rest, and opens the partition once the owner has given it away ({@link
 * io.github.stablecut.internal.recovery.MovedPartitions}). Handoffs run one after another.
 * Thread-safe.
 */
public final class HandoffReceiver {
  private static final Logger LOG = Log.of(HandoffReceiver.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final long RESOLVE_RETRY_NANOS = 200_000_000;

  /** The pause between attempts after an error of this node's disk. */
  private static final long RETRY_NANOS = 1_000_000_000;

  private final NodePartitions partitions;
  private final PendingRequests requests;
  private final NodeSettings settings;
  private final Executor executor;
  private final Map<Integer, MoveProgress> moves = new ConcurrentHashMap<>();
  private final LeaveAnnouncement leave = new LeaveAnnouncement(System::nanoTime);
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Whether moves of partitions have ended. */
  @GuardedBy("this")
  private boolean isEnded;

  /**
   * @param executor has one thread
   */
  public HandoffReceiver(
      NodePartitions partitions,
      PendingRequests requests,
      NodeSettings settings,
      Executor executor) {
    this.partitions = partitions;
    this.requests = requests;
    this.settings = settings;
    this.executor = executor;
  }

  /** Returns the latest move of each partition to this node, finished or not. */
  public List<MoveProgress> moves() {
    return List.copyOf(moves.values());
  }

  private boolean isBusy() {
    return moves.values().stream().anyMatch(move -> !move.isOver());
  }

  /**
   * Starts to receive a partition. Does not wait for it.
   *
   * @param from the name of the owner
   */
  public synchronized Reply fetch(int partition, String from) {
    MoveProgress known = moves.get(partition);
    if (isEnded || partitions.isReplicated()) {
      return refused(
          "the partitions are getting replicas, and can no longer be moved: rebalance the cluster"
              + " instead");
    } else if (leave.isUnderWay()) {
      return refused(
          "node %s is leaving the cluster: choose another node".formatted(settings.name()));
    } else if (partitions.server().find(partition).isPresent()) {
      return refused("partition %d is already on node %s".formatted(partition, settings.name()));
    } else if (known != null && !known.isOver()) {
      return refused(
          "partition %d is already being moved to node %s: wait for that"
              .formatted(partition, settings.name()));
    }
    if (isUndecided(partition)) {
      return refused(
          "node %s has a complete copy of partition %d, and does not know yet whether it is the owner: restart the node"
              .formatted(settings.name(), partition));
    }
    MoveProgress started =
        MoveProgress.in(
            MoveProgress.Phase.COPYING,
            partition,
            from,
            settings.name(),
            new SecureRandom().nextLong());
    moves.put(partition, started);
    executor.execute(() -> receive(started));
    return new Reply.MoveStarted(started.move());
  }

  private static Reply refused(String why) {
    return new Reply.Failed(new LimitExceededException(why));
  }

  /** Returns whether this node accepts no partitions because it is leaving. */
  public boolean isLeaving() {
    return leave.isUnderWay();
  }

  /**
   * Stops accepting partitions for a while.
   *
   * @param by the caller that announces the leave
   * @param time for how long; zero to withdraw the announcement
   * @return false if a partition is being received; then nothing has changed
   */
  synchronized boolean announceLeave(String by, Duration time) {
    if (isBusy() && !time.isZero()) {
      return false;
    }
    leave.announce(by, time);
    return true;
  }

  /**
   * Stops accepting partitions permanently.
   *
   * @return false if a partition is being received; then nothing has changed
   */
  synchronized boolean leave() {
    if (isBusy()) {
      return false;
    }
    leave.finish();
    return true;
  }

  /**
   * Stops accepting partitions, as moves have ended.
   *
   * @return false if a partition is being received, or may have been; then nothing has changed
   */
  synchronized boolean end() {
    try {
      if (isBusy() || !partitions.moved().undecided().isEmpty()) {
        return false;
      }
    } catch (IOException e) {
      return false;
    }
    isEnded = true;
    return true;
  }

  /** Accepts partitions again after {@link #end}. */
  synchronized void resumeAccepting() {
    isEnded = false;
  }

  private void receive(MoveProgress started) {
    int partition = started.partition();
    MoveMark mark = new MoveMark(started.move(), partition, started.from(), 0);
    PartitionCopier copy =
        new PartitionCopier(
            mark,
            settings,
            (request, timeout) -> requests.callNode(started.from(), partition, request, timeout),
            (copied, total) ->
                moves.computeIfPresent(
                    partition, (number, facts) -> facts.withBytes(copied, total)),
            this::pause);
    try {
      // Until the copy is complete the owner keeps the partition, whatever happens.
      copy.copy(partitions.moved().begin(partition), partitions.storeId());
      long pausedAtNanos = System.nanoTime();
      reportPhase(partition, MoveProgress.Phase.SWITCHING);
      copy.finish();
      resolve(mark, pausedAtNanos);
    } catch (StablecutException e) {
      abort(mark, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      abort(
          mark,
          "node %s can't write the copy: %s; check its disk, or choose another node"
              .formatted(settings.name(), IoReason.of(e)));
    } catch (RuntimeException | Error e) {
      LOG.error("the handoff of partition {} to this node failed", partition, e);
      abort(mark, fault());
    }
  }

  private String fault() {
    return "node %s failed because of an internal error: see its log".formatted(settings.name());
  }

  /**
   * Notifies the old owner that it can resume at once. If the message is lost, the owner resumes
   * later on its own.
   */
  private void abort(MoveMark mark, String why) {
    reportFailed(mark.number(), why);
    requests.tellNode(mark.node(), mark.number(), new Request.AbortHandoff(mark.move()));
  }

  private void reportPhase(int partition, MoveProgress.Phase phase) {
    moves.computeIfPresent(partition, (number, facts) -> facts.at(phase));
  }

  /** Keeps a complete copy: the owner may have given the partition away. */
  private void reportFailed(int partition, String why) {
    LOG.warn("partition {} was not moved: {}", partition, why);
    try {
      if (!isUndecided(partition)) {
        partitions.moved().discard(partition);
      }
    } catch (IOException | StoreIoException e) {
      LOG.warn("the next start deletes the replica of partition {}", partition, e);
    }
    moves.computeIfPresent(partition, (number, facts) -> facts.failed(why));
  }

  private boolean isUndecided(int partition) {
    try {
      return partitions.moved().undecided().stream().anyMatch(mark -> mark.number() == partition);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private static StoreIoException unreadable(IOException e) {
    return new StoreIoException("the node's directory can't be read: " + IoReason.of(e), e);
  }

  /** Resolves, after a restart, the handoffs whose copies were complete. */
  public void resume() {
    try {
      for (MoveMark mark : partitions.moved().undecided()) {
        moves.put(
            mark.number(),
            MoveProgress.in(
                MoveProgress.Phase.SWITCHING,
                mark.number(),
                mark.node(),
                settings.name(),
                mark.move()));
        long nowNanos = System.nanoTime();
        executor.execute(() -> resolve(mark, nowNanos));
      }
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /**
   * Asks the old owner whether it has given the partition away: only the old owner knows. Without
   * an answer, retries after the steps of other handoffs.
   *
   * @param pausedAtNanos when the old owner stopped serving
   */
  private void resolve(MoveMark mark, long pausedAtNanos) {
    int partition = mark.number();
    try {
      Reply reply =
          requests.callNode(
              mark.node(),
              partition,
              new Request.CompleteHandoff(mark.move(), settings.name(), partitions.epoch()),
              TIMEOUT);
      if (reply instanceof Reply.HandoffCompleted completed) {
        long epoch = partitions.moved().activate(partition, completed.epoch());
        open(mark, epoch, pausedAtNanos);
      } else {
        partitions.moved().discard(partition);
        reportFailed(partition, "node %s kept the partition".formatted(mark.node()));
      }
    } catch (PartitionUnavailableException e) {
      retryLater(RESOLVE_RETRY_NANOS, () -> resolve(mark, pausedAtNanos));
    } catch (IOException | RuntimeException | Error e) {
      reportStuck(partition, e);
      retryLater(RETRY_NANOS, () -> resolve(mark, pausedAtNanos));
    }
  }

  /**
   * Opens a partition that this node owns. No other node can, so this retries until it succeeds.
   */
  private void open(MoveMark mark, long epoch, long pausedAtNanos) {
    try {
      partitions.openOne(mark.number(), epoch);
      reportDone(mark, (System.nanoTime() - pausedAtNanos) / 1_000);
    } catch (IOException | RuntimeException | Error e) {
      reportStuck(mark.number(), e);
      retryLater(RETRY_NANOS, () -> open(mark, epoch, pausedAtNanos));
    }
  }

  /** Retries a step after a pause, behind the queued steps. */
  private void retryLater(long nanos, Runnable step) {
    pause(nanos);
    if (closed.getCount() > 0) {
      executor.execute(step);
    }
  }

  /** Waits for a time, or until this is closed. */
  private void pause(long nanos) {
    try {
      closed.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void reportStuck(int partition, Throwable cause) {
    String why =
        "node %s has a complete copy that it can't open, and retries: %s"
            .formatted(settings.name(), reason(cause));
    MoveProgress before = moves.get(partition);
    if (before == null || !before.problem().equals(why)) {
      LOG.error("partition {}: {}", partition, why, cause);
    }
    moves.computeIfPresent(partition, (number, facts) -> facts.stuck(why));
  }

  private String reason(Throwable cause) {
    if (cause instanceof IOException io) {
      return IoReason.of(io);
    }
    return cause instanceof StablecutException ? String.valueOf(cause.getMessage()) : fault();
  }

  private void reportDone(MoveMark mark, long micros) {
    moves.computeIfPresent(mark.number(), (number, facts) -> facts.done(micros));
    LOG.info(
        "partition {} opened on this node, {} us after node {} closed it",
        mark.number(),
        micros,
        mark.node());
  }

  /** Ends pauses; in-flight requests end when {@link PendingRequests} is closed. */
  public void close() {
    closed.countDown();
  }
}
