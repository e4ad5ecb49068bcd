package io.github.stablecut.cluster.internal.network;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * The memory that the large requests of all connections share. Requests claim it for bytes that
 * have arrived, not for announced ones, and wait in order while none is available. Thread-safe.
 *
 * <p>To prevent a deadlock between partially received requests, the oldest claim is always granted.
 * So at most one request exceeds the limit.
 */
final class MemoryBudget {
  private final long limit;

  @GuardedBy("this")
  private long taken;

  /** The open claims, oldest first. */
  @GuardedBy("this")
  private final Deque<Claim> claims = new ArrayDeque<>();

  @GuardedBy("this")
  private final Deque<PendingClaim> queue = new ArrayDeque<>();

  /** The memory of one request. Compared by identity. */
  static final class Claim {
    private long bytes;

    private Claim() {}
  }

  private record PendingClaim(Claim claim, long bytes, Runnable granted) {}

  MemoryBudget(long limit) {
    this.limit = limit;
  }

  /** Opens an empty claim. */
  synchronized Claim begin() {
    Claim claim = new Claim();
    claims.add(claim);
    return claim;
  }

  /**
   * Grows a claim, now or later.
   *
   * @param granted called once the memory is granted, if it is not available now, on the thread
   *     that releases it
   * @return whether the claim has grown now
   */
  synchronized boolean grow(Claim claim, long bytes, Runnable granted) {
    PendingClaim pending = new PendingClaim(claim, bytes, granted);
    if (isOldest(claim) || (queue.isEmpty() && taken + bytes <= limit)) {
      take(pending);
      return true;
    }
    queue.add(pending);
    return false;
  }

  @GuardedBy("this")
  private boolean isOldest(Claim claim) {
    return claims.peek() == claim;
  }

  @GuardedBy("this")
  private void take(PendingClaim granted) {
    granted.claim.bytes += granted.bytes;
    taken += granted.bytes;
  }

  /** Closes a claim: releases its memory and cancels its wait. */
  void end(Claim claim) {
    Deque<Runnable> granted = new ArrayDeque<>();
    synchronized (this) {
      if (!claims.remove(claim)) {
        return;
      }
      taken -= claim.bytes;
      queue.removeIf(waiting -> waiting.claim == claim);
      boolean isAvailable = true;
      for (Iterator<PendingClaim> rest = queue.iterator(); rest.hasNext(); ) {
        PendingClaim next = rest.next();
        // No waiter overtakes another, except the oldest claim, which is always granted.
        isAvailable = isAvailable && taken + next.bytes <= limit;
        if (isAvailable || isOldest(next.claim)) {
          take(next);
          rest.remove();
          granted.add(next.granted);
        }
      }
    }
    granted.forEach(Runnable::run);
  }
}
