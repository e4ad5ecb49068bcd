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
 * The memory limit for messages of one direction. Small messages are not counted, so that
 * decisions, acknowledgements and heartbeats always pass. A single message may exceed the whole
 * budget if no other has memory. Thread-safe.
 */
public final class TrafficBudget {
  /** Messages up to this size are not counted, unless the budget sets a higher limit. */
  static final int SMALL_BYTES = 4 << 10;

  /** The most messages that wait for memory, unless the budget sets a lower limit. */
  private static final int MAX_WAITING = 10_000;

  private final String of;
  private final long limit;
  private final long smallBytes;
  private final long maxWaitingBytes;

  @GuardedBy("this")
  private long taken;

  @GuardedBy("this")
  private long waitingBytes;

  @GuardedBy("this")
  private final Deque<Waiting> queue = new ArrayDeque<>();

  private record Waiting(long bytes, CompletableFuture<Reservation> granted) {}

  /** The memory of one message, until it is closed. */
  public final class Reservation implements AutoCloseable {
    @GuardedBy("TrafficBudget.this")
    private long bytes;

    /** Who is told late that a message has ended must not reserve for it again. */
    @GuardedBy("TrafficBudget.this")
    private boolean isClosed;

    private Reservation(long bytes) {
      this.bytes = bytes;
    }

    /**
     * Reserves more if there is room, or if no other message has memory; nothing once it is closed.
     *
     * @param uncounted memory of others to leave out of account
     * @return whether it was reserved
     */
    boolean tryGrow(long more, long uncounted) {
      synchronized (TrafficBudget.this) {
        long counted = taken - uncounted;
        if (isClosed || (counted != bytes && counted + more > limit)) {
          return false;
        }
        bytes += more;
        taken += more;
        return true;
      }
    }

    /**
     * Sets the reservation to the actual size, whether or not there is room. Does nothing once it
     * is closed.
     */
    void resize(long now) {
      resize(now, false);
    }

    private void resize(long now, boolean closes) {
      List<Runnable> granted;
      synchronized (TrafficBudget.this) {
        if (isClosed) {
          return;
        }
        isClosed = closes;
        taken += counted(now) - bytes;
        bytes = counted(now);
        granted = grant();
      }
      granted.forEach(Runnable::run);
    }

    /** Whether it is released. */
    boolean isClosed() {
      synchronized (TrafficBudget.this) {
        return isClosed;
      }
    }

    /** Releases all of it. Idempotent. */
    @Override
    public void close() {
      resize(0, true);
    }
  }

  /**
   * @param of what is counted, for messages
   * @param limit in bytes
   * @param maxWaitingBytes how much may wait for memory; more is refused at once
   */
  TrafficBudget(String of, long limit, long maxWaitingBytes) {
    this(of, limit, maxWaitingBytes, SMALL_BYTES);
  }

  /**
   * As above.
   *
   * @param smallBytes messages up to this size are not counted
   */
  TrafficBudget(String of, long limit, long maxWaitingBytes, long smallBytes) {
    this.of = of;
    this.limit = limit;
    this.smallBytes = smallBytes;
    this.maxWaitingBytes = maxWaitingBytes;
  }

  /** Whether a message is not counted. */
  boolean isSmall(long bytes) {
    return bytes <= smallBytes;
  }

  private long counted(long bytes) {
    return isSmall(bytes) ? 0 : bytes;
  }

  @GuardedBy("this")
  private boolean hasRoom(long bytes) {
    return bytes == 0 || taken == 0 || taken + bytes <= limit;
  }

  @GuardedBy("this")
  private Reservation reserve(long bytes) {
    taken += bytes;
    return new Reservation(bytes);
  }

  /** Reserves memory for a message that must not be refused, whether or not there is room. */
  synchronized Reservation take(long bytes) {
    return reserve(counted(bytes));
  }

  /** Reserves memory if there is room now. */
  synchronized Optional<Reservation> tryTake(long bytes) {
    long wanted = counted(bytes);
    return hasRoom(wanted) ? Optional.of(reserve(wanted)) : Optional.empty();
  }

  /**
   * Reserves memory once there is room, in order of arrival. Cancelling the result ends the wait.
   *
   * @return completes on the thread that releases memory; fails with {@link #refusal} if too much
   *     waits already
   */
  CompletableFuture<Reservation> request(long bytes) {
    long wanted = counted(bytes);
    CompletableFuture<Reservation> granted = new CompletableFuture<>();
    Waiting waiting = new Waiting(wanted, granted);
    synchronized (this) {
      if (wanted == 0 || (queue.isEmpty() && hasRoom(wanted))) {
        return CompletableFuture.completedFuture(reserve(wanted));
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
            (reservation, failure) -> {
              if (failure != null) {
                leave(waiting);
              }
            });
    return granted;
  }

  /** Removes a message that no longer waits. */
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

  /** Reserves memory for the next messages; the caller completes them without the lock. */
  @GuardedBy("this")
  private List<Runnable> grant() {
    List<Runnable> granted = new ArrayList<>(0);
    while (!queue.isEmpty() && hasRoom(queue.peek().bytes)) {
      Waiting next = queue.remove();
      waitingBytes -= next.bytes;
      Reservation reservation = reserve(next.bytes);
      granted.add(
          () -> {
            if (!next.granted.complete(reservation)) {
              reservation.close();
            }
          });
    }
    return granted;
  }

  /** The refusal of a message for lack of memory. */
  synchronized PartitionUnavailableException refusal(long bytes) {
    return new PartitionUnavailableException(
        "no memory for %,d bytes: %s take %,d of %,d bytes; try again, or raise cluster.traffic-memory"
            .formatted(bytes, of, taken, limit));
  }

  /** How much is reserved. */
  public synchronized long taken() {
    return taken;
  }
}
