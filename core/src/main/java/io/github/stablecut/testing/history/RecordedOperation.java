package io.github.stablecut.testing.history;

import java.util.Optional;
import java.util.Set;

/**
 * An operation of a recorded transaction, and its answer. Values that are written to a key are
 * unique for it in the whole history, so that a read tells whose writes it saw. Immutable.
 */
public sealed interface RecordedOperation {
  /** The object, by a name that no other object has. */
  String key();

  /** A write to a register where the last writer wins. */
  record RegisterWrite(String key, String value) implements RecordedOperation {}

  /**
   * A read of such a register.
   *
   * @param value empty if nobody has written it
   */
  record RegisterRead(String key, Optional<String> value) implements RecordedOperation {}

  /** An element put into a set, once. */
  record SetAdd(String key, String value) implements RecordedOperation {}

  /** An element taken out of a set for ever, by somebody who has seen it there. */
  record SetRemove(String key, String value) implements RecordedOperation {}

  /** A read of a whole set. */
  record SetRead(String key, Set<String> values) implements RecordedOperation {
    /** Copies the elements. */
    public SetRead {
      values = Set.copyOf(values);
    }
  }

  /** A number added to a counter. */
  record CounterIncrement(String key, long by) implements RecordedOperation {}

  /** A read of a counter. */
  record CounterRead(String key, long value) implements RecordedOperation {}
}
