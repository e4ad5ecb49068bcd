package io.github.stablecut.cluster.internal.network;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that answers take together that clients have not taken yet. Small ones always get what
 * they need, as there are only so many connections; large ones only while there is room.
 * Thread-safe.
 */
final class AnswerBudget {
  private final long limit;
  private final AtomicLong taken = new AtomicLong();

  AnswerBudget(long limit) {
    this.limit = limit;
  }

  /**
   * Takes the memory for an answer, if it is small or there is room, or nobody else has any.
   *
   * @return whether it was taken
   */
  boolean take(long bytes) {
    long after = taken.addAndGet(bytes);
    if (bytes <= FrameDecoder.SMALL_BYTES || after <= limit || after == bytes) {
      return true;
    }
    giveBack(bytes);
    return false;
  }

  void giveBack(long bytes) {
    taken.addAndGet(-bytes);
  }
}
