package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The ordered commits that a watch has read and its user has not removed. The {@link WatchMemory}
 * counts them until the last one is removed, and another thread may discard them. Thread-safe; one
 * thread at a time adds and removes.
 */
final class DeliveryQueue {
  /**
   * Smaller commits from a journal are not counted: a piece of a journal holds at most about 1 MiB
   * of them.
   */
  static final long LARGE_BYTES = 64 << 10;

  @GuardedBy("this")
  private final Deque<OrderedCommit> commits = new ArrayDeque<>();

  @GuardedBy("this")
  private final List<DeliveryCharge> charged = new ArrayList<>();

  @GuardedBy("this")
  private long heldBytes;

  @GuardedBy("this")
  private boolean isDiscarded;

  private record DeliveryCharge(long bytes, WatchMemory.Charge charge) {}

  /** Takes over the charge of a commit that is about to be added, or of a part of one. */
  synchronized void takeOver(long bytes, WatchMemory.Charge charge) {
    if (isDiscarded) {
      charge.add(-bytes);
    } else {
      charged.add(new DeliveryCharge(bytes, charge));
      heldBytes += bytes;
    }
  }

  /** Adds commits whose charges this queue has taken over. Does nothing after {@link #discard}. */
  synchronized void add(List<OrderedCommit> next) {
    if (!isDiscarded) {
      commits.addAll(next);
    }
  }

  /** Adds commits from a journal and charges the large ones. Otherwise as {@link #add}. */
  synchronized void addFromJournal(List<OrderedCommit> next, WatchMemory memory) {
    add(next);
    for (OrderedCommit commit : isDiscarded ? List.<OrderedCommit>of() : next) {
      if (commit.writes().bytes() > LARGE_BYTES) {
        WatchMemory.Charge charge = memory.charge(commit.writes());
        long bytes = WatchMemory.bytesOf(commit.writes());
        charge.add(bytes);
        takeOver(bytes, charge);
      }
    }
  }

  /** Returns the next commit without removing it; empty if there is none. */
  synchronized Optional<OrderedCommit> peek() {
    return Optional.ofNullable(commits.peek());
  }

  /** Removes the next commit; empty if there is none. */
  synchronized Optional<OrderedCommit> remove() {
    Optional<OrderedCommit> next = Optional.ofNullable(commits.poll());
    if (commits.isEmpty()) {
      release();
    }
    return next;
  }

  /** Whether all added commits were removed and none were discarded. */
  synchronized boolean isExhausted() {
    return commits.isEmpty() && !isDiscarded;
  }

  /** Discards all commits, including later ones. */
  synchronized void discard() {
    isDiscarded = true;
    commits.clear();
    release();
  }

  /** Releases the charges of commits that were removed or never added. */
  synchronized void release() {
    charged.forEach(each -> each.charge.add(-each.bytes));
    charged.clear();
    heldBytes = 0;
  }

  /** The bytes of {@link WatchMemory} that this queue holds. */
  synchronized long heldBytes() {
    return heldBytes;
  }

  /** The number of commits that are charged to the {@link WatchMemory}. */
  synchronized int chargedCommits() {
    return charged.size();
  }
}
