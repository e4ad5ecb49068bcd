package io.github.stablecut.cluster.internal.network;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * The memory that large requests of all connections share. It is claimed for bytes that have come,
 * not for those that are announced. Whoever finds no room waits for it, in order. Thread-safe.
 *
 * <p>So that requests that all have come in part don't wait for each other, the one that was begun
 * first gets what it needs even if there is no room: so no more than one request is above the
 * limit.
 */
final class MemoryBudget {
  private final long limit;

  @GuardedBy("this")
  private long taken;

  /** Those that have not been given back, by the order in which they were begun. */
  @GuardedBy("this")
  private final Deque<Claim> claims = new ArrayDeque<>();

  @GuardedBy("this")
  private final Deque<Waiting> queue = new ArrayDeque<>();

  /** What one request has taken. Identity counts. */
  static final class Claim {
    private long bytes;

    private Claim() {}
  }

  private record Waiting(Claim claim, long bytes, Runnable granted) {}

  MemoryBudget(long limit) {
    this.limit = limit;
  }

  /** Begins a claim of nothing. */
  synchronized Claim begin() {
    Claim claim = new Claim();
    claims.add(claim);
    return claim;
  }

  /**
   * Takes more now, or later.
   *
   * @param granted called later, by whoever gives back, if it can't be taken now
   * @return whether it is taken now
   */
  synchronized boolean grow(Claim claim, long bytes, Runnable granted) {
    Waiting wanted = new Waiting(claim, bytes, granted);
    if (isFirst(claim) || (queue.isEmpty() && taken + bytes <= limit)) {
      take(wanted);
      return true;
    }
    queue.add(wanted);
    return false;
  }

  @GuardedBy("this")
  private boolean isFirst(Claim claim) {
    return claims.peek() == claim;
  }

  @GuardedBy("this")
  private void take(Waiting granted) {
    granted.claim.bytes += granted.bytes;
    taken += granted.bytes;
  }

  /** Gives back what was taken, and waits for nothing more. */
  void end(Claim claim) {
    Deque<Runnable> granted = new ArrayDeque<>();
    synchronized (this) {
      if (!claims.remove(claim)) {
        return;
      }
      taken -= claim.bytes;
      boolean unused = queue.removeIf(waiting -> waiting.claim == claim);
      boolean isRoom = true;
      for (Iterator<Waiting> rest = queue.iterator(); rest.hasNext(); ) {
        Waiting next = rest.next();
        // Nobody overtakes who waits for room, but for the one that needs none.
        isRoom = isRoom && taken + next.bytes <= limit;
        if (isRoom || isFirst(next.claim)) {
          take(next);
          rest.remove();
          granted.add(next.granted);
        }
      }
    }
    granted.forEach(Runnable::run);
  }
}
