package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.StreamValue;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.Update;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

/**
 * Sums up an object's calls: now and then a call takes the state with it into the journal, and lets
 * go of all calls before. So an object opens from a state and few calls, and takes room for them
 * only. A state is written when the calls since the last one take as much, so that on the average a
 * call costs twice its bytes. Thread-safe.
 */
final class Compaction<S> {
  /** Calls that take less are not summed up. */
  static final long MIN_BYTES = 16 << 10;

  /** States that take more are not written: an object that large is better composed of others. */
  private static final int MAX_STATE_BYTES = 8 << 20;

  /** Calls that take less than one in so many of what was postponed begin after a state. */
  private static final int SUMMED_UP = 4;

  /** How many bytes of calls are logged between two looks, about. */
  private static final long LOOK_BYTES = MIN_BYTES / 2;

  /** What the shortest call counts as. */
  private static final long MIN_CALL_BYTES = LOOK_BYTES / 64;

  private final StreamKey<Bytes> log;
  private final ObjectType<S> type;

  /** Below that, an attempt is known to fail. */
  private volatile long nextAttemptBytes;

  Compaction(StreamKey<Bytes> log, ObjectType<S> type) {
    this.log = log;
    this.type = type;
  }

  /**
   * An attempt has failed: the store does not take a state of this size, or its codec refuses it.
   * The next one is made when the calls take twice as much.
   */
  void postpone(StreamValue value) {
    nextAttemptBytes = 2 * value.bytes();
  }

  boolean isDue(StreamValue value) {
    return isDue(value.bytes(), value.summary().map(Bytes::length).orElse(0))
        && value.committedTail() == value.tail();
  }

  /** Whether there is something to sum up, as far as the answer to a call tells. */
  boolean isDue(CallOutcome<?> answered) {
    return isDue(answered.bytes(), answered.summaryBytes());
  }

  private boolean isDue(long bytes, long summaryBytes) {
    long postponed = nextAttemptBytes;
    if (bytes < postponed / SUMMED_UP) {
      nextAttemptBytes = 0; // another handle has summed up
    }
    return bytes >= Math.max(MIN_BYTES, 2 * summaryBytes) && bytes >= postponed;
  }

  /** A call with what is to be done before it; as {@link #summary}. */
  Update[] updates(StreamValue value, S state, Update call, BooleanSupplier mayTrim) {
    return summary(value, state, mayTrim)
        .map(summary -> new Update[] {summary, call})
        .orElseGet(() -> new Update[] {call});
  }

  /**
   * What sums up a log; empty if there is nothing to sum up, or that can't be.
   *
   * @param state after all calls in the log
   * @param mayTrim whether no call can still come that is before those; asked only if there is
   *     something to sum up
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
   * Whether somebody who has logged a call without reading the log should look whether there is
   * something to sum up: one in so many does.
   */
  static boolean isWorthALook(Bytes entry) {
    return ThreadLocalRandom.current().nextLong(LOOK_BYTES) < entry.length() + MIN_CALL_BYTES;
  }
}
