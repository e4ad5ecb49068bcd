package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.stream.StreamValue;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.Update;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

/**
 * Summarizes an object's calls: occasionally a call writes the state to the journal with it, and
 * trims all earlier calls. An object therefore opens from a state and few calls, and occupies space
 * only for them. A state is written once the calls since the last one take twice its bytes, so that
 * the cost of states stays proportional to that of calls. Thread-safe.
 */
final class Compaction<S> {
  /** The minimum size of calls that are summarized. */
  static final long MIN_BYTES = 16 << 10;

  /** The maximum size of a state that is written; larger objects are better composed of others. */
  private static final int MAX_STATE_BYTES = 8 << 20;

  /** The fraction of the postponed size below which another handle must have written a summary. */
  private static final int SUMMED_UP = 4;

  /** The average number of bytes of calls logged between two checks. */
  private static final long LOOK_BYTES = MIN_BYTES / 2;

  /** The size at which the shortest call counts. */
  private static final long MIN_CALL_BYTES = LOOK_BYTES / 64;

  private final StreamKey<Bytes> log;
  private final ObjectType<S> type;

  /** The size of calls below which an attempt is known to fail. */
  private volatile long nextAttemptBytes;

  Compaction(StreamKey<Bytes> log, ObjectType<S> type) {
    this.log = log;
    this.type = type;
  }

  /**
   * Records a failed attempt: the store refuses a state of this size, or its codec refuses the
   * state. The next attempt is made when the calls take twice as much space.
   */
  void postpone(StreamValue value) {
    nextAttemptBytes = 2 * value.bytes();
  }

  boolean isDue(StreamValue value) {
    return isDue(value.bytes(), value.summary().map(Bytes::length).orElse(0))
        && value.committedTail() == value.tail();
  }

  /** Returns whether a summary is due, as far as the answer to a call tells. */
  boolean isDue(CallOutcome<?> answered) {
    return isDue(answered.bytes(), answered.summaryBytes());
  }

  private boolean isDue(long bytes, long summaryBytes) {
    long postponed = nextAttemptBytes;
    if (bytes < postponed / SUMMED_UP) {
      nextAttemptBytes = 0; // another handle has written a summary
    }
    return bytes >= Math.max(MIN_BYTES, 2 * summaryBytes) && bytes >= postponed;
  }

  /** Returns the updates of a call, preceded by a {@link #summary} if one is due. */
  Update[] updates(StreamValue value, S state, Update call, BooleanSupplier mayTrim) {
    return summary(value, state, mayTrim)
        .map(summary -> new Update[] {summary, call})
        .orElseGet(() -> new Update[] {call});
  }

  /**
   * Returns the update that summarizes a log; empty if no summary is due or possible.
   *
   * @param state the state after all calls in the log
   * @param mayTrim whether no call can still be ordered before those; evaluated only if a summary
   *     is due
   */
  Optional<Update> summary(StreamValue value, S state, BooleanSupplier mayTrim) {
    if (!isDue(value) || !mayTrim.getAsBoolean()) {
      return Optional.empty();
    }
    Optional<Bytes> summary =
        type.summary(state).filter(bytes -> bytes.length() <= MAX_STATE_BYTES);
    if (summary.isEmpty()) {
      postpone(value);
    }
    return summary.map(bytes -> log.trim(value.tail(), bytes));
  }

  /**
   * Returns whether a caller that logged a call without reading the log should check whether a
   * summary is due. A random sample of calls does.
   */
  static boolean isWorthALook(Bytes entry) {
    return ThreadLocalRandom.current().nextLong(LOOK_BYTES) < entry.length() + MIN_CALL_BYTES;
  }
}
