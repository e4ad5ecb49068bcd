package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.error.PartitionUnavailableException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The memory that messages of one direction may take together. Messages of at most {@link
 * #SMALL_BYTES} are not counted, so that decisions, acknowledgements and heartbeats always pass.
 * One message may be larger than the whole budget if nothing else is there. Thread-safe.
 */
public final class TrafficBudget {
  /** What is not larger is not counted. */
  static final int SMALL_BYTES = 4 << 10;

  /** So many requests may wait for memory, unless the budget says less. */
  private static final int MAX_WAITING = 10_000;

  private final String of;
  private final long limit;
  private final long maxWaitingBytes;

  @GuardedBy("this")
  private long taken;

  @GuardedBy("this")
  private long waitingBytes;

  @GuardedBy("this")
  private final Deque<Waiting> queue = new ArrayDeque<>();

  private record Waiting(long bytes, CompletableFuture<Reservation> granted) {}

  /** The memory that one message takes, until it is closed. */
  public final class Reservation implements AutoCloseable {
    @GuardedBy("TrafficBudget.this")
    private long bytes;

    private Reservation(long bytes) {
      this.bytes = bytes;
    }

    /**
     * Takes more if there is room, or nobody else has any.
     *
     * @param uncounted what others have that is not counted now
     * @return whether it was taken
     */
    boolean tryGrow(long more, long uncounted) {
      synchronized (TrafficBudget.this) {
        long counted = taken - uncounted;
        if (counted != bytes && counted + more > limit) {
          return false;
        }
        bytes += more;
        taken += more;
        return true;
      }
    }

    /** Takes what the message is now known to need, whether or not there is room. */
    void resize(long now) {
      List<Runnable> granted;
      synchronized (TrafficBudget.this) {
        taken += counted(now) - bytes;
        bytes = counted(now);
        granted = grant();
      }
      granted.forEach(Runnable::run);
    }

    /** Gives all of it back. Idempotent. */
    @Override
    public void close() {
      resize(0);
    }
  }

  /**
   * @param of what is counted, in words
   * @param limit in bytes
   * @param maxWaitingBytes so much may wait for memory; more is refused at once
   */
  TrafficBudget(String of, long limit, long maxWaitingBytes) {
    this.of = of;
    this.limit = limit;
    this.maxWaitingBytes = maxWaitingBytes;
  }

  private static long counted(long bytes) {
    return bytes <= SMALL_BYTES ? 0 : bytes;
  }

  @GuardedBy("this")
  private boolean hasRoom(long bytes) {
    return bytes == 0 || taken == 0 || taken + bytes <= limit;
  }

  @GuardedBy("this")
  private Reservation claim(long bytes) {
    taken += bytes;
    return new Reservation(bytes);
  }

  /** Takes memory for a message that must not be refused, whether or not there is room. */
  synchronized Reservation take(long bytes) {
    return claim(counted(bytes));
  }

  /** Takes memory if there is room now. */
  synchronized Optional<Reservation> tryTake(long bytes) {
    long wanted = counted(bytes);
    return hasRoom(wanted) ? Optional.of(claim(wanted)) : Optional.empty();
  }

  /**
   * Takes memory once there is room, in order. Cancelling the result ends the wait.
   *
   * @return completes on the thread that gives memory back; fails with {@link #refusal} if too much
   *     waits already
   */
  CompletableFuture<Reservation> request(long bytes) {
    long wanted = counted(bytes);
    CompletableFuture<Reservation> granted = new CompletableFuture<>();
    Waiting waiting = new Waiting(wanted, granted);
    synchronized (this) {
      if (wanted == 0 || (queue.isEmpty() && hasRoom(wanted))) {
        return CompletableFuture.completedFuture(claim(wanted));
      }
      if (queue.size() == MAX_WAITING
          || (!queue.isEmpty() && waitingBytes + wanted > maxWaitingBytes)) {
        return CompletableFuture.failedFuture(refusal(bytes));
      }
      queue.add(waiting);
      waitingBytes += wanted;
    }
    var unused =
        granted.whenComplete(
            (claim, failure) -> {
              if (failure != null) {
                leave(waiting);
              }
            });
    return granted;
  }

  /** Somebody does not wait any more. */
  private void leave(Waiting waiting) {
    List<Runnable> granted = List.of();
    synchronized (this) {
      if (queue.remove(waiting)) {
        waitingBytes -= waiting.bytes;
        granted = grant();
      }
    }
    granted.forEach(Runnable::run);
  }

  /** Takes memory for those that are next, who are to be told without the lock. */
  @GuardedBy("this")
  private List<Runnable> grant() {
    List<Runnable> granted = new ArrayList<>(0);
    while (!queue.isEmpty() && hasRoom(queue.peek().bytes)) {
      Waiting next = queue.remove();
      waitingBytes -= next.bytes;
      Reservation claim = claim(next.bytes);
      granted.add(
          () -> {
            if (!next.granted.complete(claim)) {
              claim.close();
            }
          });
    }
    return granted;
  }

  /** Why a message gets no memory. */
  synchronized PartitionUnavailableException refusal(long bytes) {
    return new PartitionUnavailableException(
        "no memory for %,d bytes: %s take %,d of %,d bytes; try again, or raise cluster.traffic-memory"
            .formatted(bytes, of, taken, limit));
  }

  /** How much is taken. */
  synchronized long taken() {
    return taken;
  }
}
