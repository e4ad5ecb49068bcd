package io.github.stablecut.internal.partition.replicated;

import io.github.stablecut.internal.replica.ReplicaMessage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds the messages that wait for a replica whose disk is slow: one group with records, and
 * {@link #MAX_WAITING} messages in all. A message that is not admitted is lost, and its sender
 * resends it. Thread-safe.
 */
final class ReplicaInbox {
  static final int MAX_WAITING = 1_000;

  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicBoolean hasGroup = new AtomicBoolean();

  /** Whether a message may wait; if so, {@link #taken} is called for it. */
  boolean admits(ReplicaMessage message) {
    if (waiting.incrementAndGet() > MAX_WAITING || (isLarge(message) && hasGroup.getAndSet(true))) {
      waiting.decrementAndGet();
      return false;
    }
    return true;
  }

  /** The message stopped waiting. */
  void taken(ReplicaMessage message) {
    waiting.decrementAndGet();
    if (isLarge(message)) {
      hasGroup.set(false);
    }
  }

  private static boolean isLarge(ReplicaMessage message) {
    return message instanceof ReplicaMessage.Group group && !group.records().isEmpty();
  }
}
