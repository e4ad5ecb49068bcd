package io.github.stablecut.cluster.internal.handoff;

import io.github.stablecut.cluster.internal.membership.MoveFacts;
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
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The new owner's side of moves: copies a partition while its owner serves, has it closed there,
 * copies the rest, and opens it once it was given ({@link
 * io.github.stablecut.internal.recovery.MovedPartitions}). One after the other. Thread-safe.
 */
public final class HandoffReceiver {
  private static final Logger LOG = LoggerFactory.getLogger(HandoffReceiver.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final long AGAIN_NANOS = 200_000_000;

  /** So often is tried again what this node's disk did not let it do. */
  private static final long RETRY_NANOS = 1_000_000_000;

  private final NodePartitions partitions;
  private final PendingRequests asks;
  private final NodeSettings settings;
  private final Executor executor;
  private final Map<Integer, MoveFacts> moves = new ConcurrentHashMap<>();
  private final LeaveAnnouncement departure = new LeaveAnnouncement(System::nanoTime);
  private volatile boolean isClosed;

  /**
   * @param executor one thread
   */
  public HandoffReceiver(
      NodePartitions partitions, PendingRequests asks, NodeSettings settings, Executor executor) {
    this.partitions = partitions;
    this.asks = asks;
    this.settings = settings;
    this.executor = executor;
  }

  /** The newest move of each partition to this node, over or not. */
  public List<MoveFacts> moves() {
    return List.copyOf(moves.values());
  }

  private boolean isBusy() {
    return moves.values().stream().anyMatch(move -> !move.isOver());
  }

  /**
   * Begins to take a partition. Does not wait for it.
   *
   * @param from the name of its owner
   */
  public synchronized Reply fetch(int partition, String from) {
    MoveFacts known = moves.get(partition);
    if (departure.isUnderWay()) {
      return refused("node %s leaves the cluster: name another one".formatted(settings.name()));
    } else if (partitions.owner().find(partition).isPresent()) {
      return refused("partition %d is on node %s already".formatted(partition, settings.name()));
    } else if (known != null && !known.isOver()) {
      return refused(
          "partition %d is being moved to node %s already: wait for that"
              .formatted(partition, settings.name()));
    }
    if (isUndecided(partition)) {
      return refused(
          "node %s has a copy of partition %d of which it is not known whether it was given to it: start it again"
              .formatted(settings.name(), partition));
    }
    MoveFacts begun =
        MoveFacts.in(
            MoveFacts.Phase.COPYING,
            partition,
            from,
            settings.name(),
            ThreadLocalRandom.current().nextLong());
    var unused = moves.put(partition, begun);
    executor.execute(() -> take(begun));
    return new Reply.Begun(begun.move());
  }

  private static Reply refused(String why) {
    return new Reply.Failed(new LimitExceededException(why));
  }

  /** Whether nothing is taken because the node leaves. */
  public boolean isLeaving() {
    return departure.isUnderWay();
  }

  /**
   * From now on takes nothing for a while.
   *
   * @param time for how long; zero to take partitions again
   * @return whether nothing is being taken; otherwise nothing has changed
   */
  synchronized boolean announceLeave(Duration time) {
    if (isBusy() && !time.isZero()) {
      return false;
    }
    departure.announce(time);
    return true;
  }

  /**
   * From now on takes nothing.
   *
   * @return whether nothing is being taken; otherwise nothing has changed
   */
  synchronized boolean leave() {
    if (isBusy()) {
      return false;
    }
    departure.finish();
    return true;
  }

  private void take(MoveFacts begun) {
    int partition = begun.partition();
    MoveMark mark = new MoveMark(begun.move(), partition, begun.from(), 0);
    PartitionCopy copy =
        new PartitionCopy(
            mark,
            settings,
            (request, timeout) -> asks.joinNode(begun.from(), partition, request, timeout),
            (copied, total) ->
                moves.computeIfPresent(
                    partition, (number, facts) -> facts.withBytes(copied, total)));
    try {
      // Until the copy is complete its owner keeps the partition, whatever happens.
      copy.copy(partitions.moved().begin(partition), partitions.storeId());
      long paused = System.nanoTime();
      report(partition, MoveFacts.Phase.SWITCHING);
      copy.finish();
      settle(mark, paused);
    } catch (StablecutException e) {
      giveUp(mark, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      giveUp(
          mark,
          "node %s can't write the copy: %s; look at its disk, or choose another node"
              .formatted(settings.name(), IoReason.of(e)));
    } catch (RuntimeException | Error e) {
      LOG.error("partition {} could not be taken", partition, e);
      giveUp(mark, fault());
    }
  }

  private String fault() {
    return "node %s has failed because of a fault of the program: its log says where"
        .formatted(settings.name());
  }

  /** Has the old owner go on at once; if it does not hear that, it does so a bit later. */
  private void giveUp(MoveMark mark, String why) {
    fail(mark.number(), why);
    asks.tellNode(mark.node(), mark.number(), new Request.Keep(mark.move()));
  }

  private void report(int partition, MoveFacts.Phase phase) {
    moves.computeIfPresent(partition, (number, facts) -> facts.at(phase));
  }

  /** A copy that is complete stays: its owner may have given it. */
  private void fail(int partition, String why) {
    LOG.warn("partition {} was not moved: {}", partition, why);
    try {
      if (!isUndecided(partition)) {
        partitions.moved().discard(partition);
      }
    } catch (IOException | StoreIoException e) {
      LOG.warn("the copy of partition {} is deleted at the next start", partition, e);
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

  /** Finds out, after a start, what became of copies that were complete. */
  public void resume() {
    try {
      for (MoveMark mark : partitions.moved().undecided()) {
        var unused =
            moves.put(
                mark.number(),
                MoveFacts.in(
                    MoveFacts.Phase.SWITCHING,
                    mark.number(),
                    mark.node(),
                    settings.name(),
                    mark.move()));
        long now = System.nanoTime();
        executor.execute(() -> settle(mark, now));
      }
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /**
   * PendingRequests the old owner whether it has given the partition: only it knows. If it does not
   * answer, others have their turn, and it is asked again.
   *
   * @param paused when nobody served any more
   */
  private void settle(MoveMark mark, long paused) {
    int partition = mark.number();
    try {
      Reply reply =
          asks.joinNode(
              mark.node(),
              partition,
              new Request.Give(mark.move(), settings.name(), partitions.epoch()),
              TIMEOUT);
      if (reply instanceof Reply.Given given) {
        long epoch = partitions.moved().activate(partition, given.epoch());
        open(mark, epoch, paused);
      } else {
        partitions.moved().discard(partition);
        fail(partition, "node %s has kept it".formatted(mark.node()));
      }
    } catch (PartitionUnavailableException e) {
      again(AGAIN_NANOS, () -> settle(mark, paused));
    } catch (IOException | RuntimeException | Error e) {
      stuck(partition, e);
      again(RETRY_NANOS, () -> settle(mark, paused));
    }
  }

  /** Opens a partition that is this node's. Nobody else can: it is tried until it succeeds. */
  private void open(MoveMark mark, long epoch, long paused) {
    try {
      partitions.openOne(mark.number(), epoch);
      done(mark, (System.nanoTime() - paused) / 1_000);
    } catch (IOException | RuntimeException | Error e) {
      stuck(mark.number(), e);
      again(RETRY_NANOS, () -> open(mark, epoch, paused));
    }
  }

  /** Tries again after a while; whatever waits behind it has its turn first. */
  private void again(long nanos, Runnable step) {
    LockSupport.parkNanos(nanos);
    if (!isClosed) {
      executor.execute(step);
    }
  }

  private void stuck(int partition, Throwable cause) {
    String why =
        "node %s has a whole copy and can't open it yet, and tries again: %s"
            .formatted(settings.name(), reason(cause));
    MoveFacts before = moves.get(partition);
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

  private void done(MoveMark mark, long micros) {
    moves.computeIfPresent(mark.number(), (number, facts) -> facts.done(micros));
    LOG.info("partition {} is here, {} us after {} closed it", mark.number(), micros, mark.node());
  }

  public void close() {
    isClosed = true;
  }
}
