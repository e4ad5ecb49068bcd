package io.github.stablecut.testing.history;

import java.util.OptionalLong;

/**
 * A client's operation on a register of numbers, and its result. 0 is the initial value. Immutable.
 *
 * @param begin the time of the call, in nanoseconds of a clock that all clients share
 * @param end the time of the answer; {@code Long.MAX_VALUE} if the outcome is unknown
 * @param expected the expected value of a conditional write; empty for a read
 * @param written the new value of a conditional write; empty for a read
 * @param found the value that it found according to the answer; empty without an answer
 */
public record RegisterOperation(
    long begin, long end, OptionalLong expected, OptionalLong written, OptionalLong found) {
  /** An answered read. */
  public static RegisterOperation read(long begin, long end, long found) {
    return new RegisterOperation(
        begin, end, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.of(found));
  }

  /** An answered conditional write: it was executed if it found the expected value. */
  public static RegisterOperation write(
      long begin, long end, long expected, long written, long found) {
    return new RegisterOperation(
        begin, end, OptionalLong.of(expected), OptionalLong.of(written), OptionalLong.of(found));
  }

  /**
   * A conditional write without an answer: it takes effect at any time after its begin, or never.
   */
  public static RegisterOperation open(long begin, long expected, long written) {
    return new RegisterOperation(
        begin,
        Long.MAX_VALUE,
        OptionalLong.of(expected),
        OptionalLong.of(written),
        OptionalLong.empty());
  }

  /** Whether its outcome is unknown. */
  boolean isOpen() {
    return found.isEmpty();
  }

  /**
   * Whether it can take effect on a value; an open one that would have no effect can be ignored.
   */
  boolean fits(long value) {
    return found.isPresent()
        ? found.getAsLong() == value
        : expected.isPresent() && expected.getAsLong() == value;
  }

  /** The register's value after it, if it fits. */
  long after(long value) {
    return expected.isPresent() && expected.getAsLong() == value ? written.getAsLong() : value;
  }
}
