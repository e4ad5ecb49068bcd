package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.internal.thread.FireAndForget;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

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
  private final Deque<QueuedMessage> queue = new ArrayDeque<>();

  /** Continues a request for memory. */
  @FunctionalInterface
  interface Continuation {
    /** The request is granted memory, which the receiver closes, or receives the failure. */
    void accept(@Nullable Reservation reservation, @Nullable Throwable failure);
  }

  /** A message that waits for memory. */
  private static final class QueuedMessage {
    private final long bytes;
    private final Reservation reservation;
    private final CompletableFuture<Reservation> granted = new CompletableFuture<>();

    /** The message that was granted memory after it, at the same time. */
    private @Nullable QueuedMessage following;

    QueuedMessage(long bytes, Reservation reservation) {
      this.bytes = bytes;
      this.reservation = reservation;
    }
  }

  /** The memory of one message, until it is closed. */
  public final class Reservation implements AutoCloseable {
    @GuardedBy("TrafficBudget.this")
    private long bytes;

    /** A caller that learns late that a message has ended must not reserve for it again. */
    @GuardedBy("TrafficBudget.this")
    private boolean isClosed;

    private Reservation(long bytes) {
      this.bytes = bytes;
    }

    /**
     * Reserves more if there is room, or if no other message has memory; nothing once it is closed.
     *
     * @param uncounted memory of other messages to ignore
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
    void resize(long newBytes) {
      resize(newBytes, false);
    }

    private void resize(long newBytes, boolean closes) {
      QueuedMessage granted;
      synchronized (TrafficBudget.this) {
        if (isClosed) {
          return;
        }
        isClosed = closes;
        taken += counted(newBytes) - bytes;
        bytes = counted(newBytes);
        granted = grant();
      }
      complete(granted);
    }

    /** Returns whether it is released. */
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
   * @param of names the counted messages, for error messages
   * @param limit in bytes
   * @param maxWaitingBytes how many bytes may wait for memory; more is refused at once
   */
  TrafficBudget(String of, long limit, long maxWaitingBytes) {
    this(of, limit, maxWaitingBytes, SMALL_BYTES);
  }

  /**
   * Like {@link #TrafficBudget(String, long, long)}, with a custom limit for small messages.
   *
   * @param smallBytes messages up to this size are not counted
   */
  TrafficBudget(String of, long limit, long maxWaitingBytes, long smallBytes) {
    this.of = of;
    this.limit = limit;
    this.smallBytes = smallBytes;
    this.maxWaitingBytes = maxWaitingBytes;
  }

  /** Returns whether a message is not counted. */
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

  /** Reserves memory for a message that must not be refused, whether or not there is room. */
  synchronized Reservation take(long bytes) {
    // Allocated before it is counted, here as below: what is counted always has an owner.
    Reservation reservation = new Reservation(counted(bytes));
    taken += counted(bytes);
    return reservation;
  }

  /** Reserves memory if there is room now. */
  synchronized Optional<Reservation> tryTake(long bytes) {
    long countedBytes = counted(bytes);
    if (!hasRoom(countedBytes)) {
      return Optional.empty();
    }
    Optional<Reservation> reservation = Optional.of(new Reservation(countedBytes));
    taken += countedBytes;
    return reservation;
  }

  /**
   * Reserves memory once there is room, in order of arrival. Cancelling the result ends the wait.
   *
   * @return completes on the thread that releases memory; fails with {@link #refusal} if too much
   *     waits already. See {@link #whenGranted}
   */
  CompletableFuture<Reservation> request(long bytes) {
    QueuedMessage waiting = new QueuedMessage(counted(bytes), new Reservation(counted(bytes)));
    if (!tryGrant(waiting)) {
      // Before it waits: a later failure would go unnoticed.
      FireAndForget.whenDone(
          waiting.granted,
          (reservation, failure) -> {
            if (failure != null) {
              leave(waiting);
            }
          });
      await(waiting);
    }
    return waiting.granted;
  }

  private synchronized boolean tryGrant(QueuedMessage waiting) {
    if (waiting.bytes > 0 && (!queue.isEmpty() || !hasRoom(waiting.bytes))) {
      return false;
    }
    taken += waiting.bytes;
    return waiting.granted.complete(waiting.reservation);
  }

  private void await(QueuedMessage waiting) {
    boolean isRefused;
    QueuedMessage granted = null;
    synchronized (this) {
      isRefused =
          queue.size() == MAX_WAITING
              || (!queue.isEmpty() && waitingBytes + waiting.bytes > maxWaitingBytes);
      if (!isRefused) {
        queue.add(waiting);
        waitingBytes += waiting.bytes;
        granted = grant();
      }
    }
    if (isRefused) {
      waiting.granted.completeExceptionally(refusal(waiting.bytes));
    }
    complete(granted);
  }

  /**
   * Continues a {@link #request}: at once if it has its memory, otherwise on an executor. If the
   * executor rejects it, the memory is released.
   */
  static void whenGranted(
      CompletableFuture<Reservation> request, Executor executor, Continuation next) {
    try {
      boolean isGranted = request.isDone() && !request.isCompletedExceptionally();
      FireAndForget.whenDone(
          request,
          (reservation, failure) -> {
            if (isGranted) {
              next.accept(reservation, failure);
            } else {
              goOn(reservation, failure, executor, next);
            }
          });
    } catch (RuntimeException | Error e) {
      request.cancel(false);
      if (!request.isCompletedExceptionally()) {
        request.join().close();
      }
      throw e;
    }
  }

  private static void goOn(
      @Nullable Reservation reservation,
      @Nullable Throwable failure,
      Executor executor,
      Continuation next) {
    try {
      executor.execute(() -> next.accept(reservation, failure));
    } catch (RuntimeException | Error e) {
      if (reservation != null) {
        reservation.close();
      }
      next.accept(null, e);
    }
  }

  /** Removes a message that no longer waits. */
  private void leave(QueuedMessage waiting) {
    QueuedMessage granted = null;
    synchronized (this) {
      if (queue.remove(waiting)) {
        waitingBytes -= waiting.bytes;
        granted = grant();
      }
    }
    complete(granted);
  }

  /**
   * Reserves memory for the next messages.
   *
   * @return the first of them; the caller {@linkplain #complete completes} them without the lock
   */
  @GuardedBy("this")
  private @Nullable QueuedMessage grant() {
    QueuedMessage first = null;
    QueuedMessage last = null;
    while (!queue.isEmpty() && hasRoom(queue.peek().bytes)) {
      QueuedMessage next = queue.remove();
      waitingBytes -= next.bytes;
      taken += next.bytes;
      if (last == null) {
        first = next;
      } else {
        last.following = next;
      }
      last = next;
    }
    return first;
  }

  private static void complete(@Nullable QueuedMessage first) {
    for (QueuedMessage each = first; each != null; each = each.following) {
      if (!each.granted.complete(each.reservation)) {
        each.reservation.close();
      }
    }
  }

  /** Returns the refusal of a message for lack of memory. */
  synchronized PartitionUnavailableException refusal(long bytes) {
    return new PartitionUnavailableException(
        "no memory for %,d bytes: %s take %,d of %,d bytes; try again, or raise cluster.traffic-memory"
            .formatted(bytes, of, taken, limit));
  }

  /** Returns how much is reserved. */
  public synchronized long taken() {
    return taken;
  }
}
