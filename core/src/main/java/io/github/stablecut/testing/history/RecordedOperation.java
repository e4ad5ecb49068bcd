package io.github.stablecut.testing.history;

import java.util.Optional;
import java.util.Set;

/**
 * An operation of a recorded transaction, and its answer. The values written to a key are unique in
 * the history, so a read identifies the writes that it saw. Immutable.
 */
public sealed interface RecordedOperation {
  /** The unique name of the object. */
  String key();

  /** A write to a last-writer-wins register. */
  record RegisterWrite(String key, String value) implements RecordedOperation {}

  /**
   * A read of a last-writer-wins register.
   *
   * @param value empty if it was never written
   */
  record RegisterRead(String key, Optional<String> value) implements RecordedOperation {}

  /** The single addition of an element to a set. */
  record SetAdd(String key, String value) implements RecordedOperation {}

  /** The final removal of an element that the transaction has seen in the set. */
  record SetRemove(String key, String value) implements RecordedOperation {}

  /** A read of an entire set. */
  record SetRead(String key, Set<String> values) implements RecordedOperation {
    /** Copies the elements. */
    public SetRead {
      values = Set.copyOf(values);
    }
  }

  /** An addition to a counter. */
  record CounterIncrement(String key, long by) implements RecordedOperation {}

  /** A read of a counter. */
  record CounterRead(String key, long value) implements RecordedOperation {}
}
