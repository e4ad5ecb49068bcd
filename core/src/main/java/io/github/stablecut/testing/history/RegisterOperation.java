package io.github.stablecut.testing.history;

import java.util.OptionalLong;

/**
 * What one client did to a register of numbers, and was told. 0 is what nobody has written yet.
 * Immutable.
 *
 * @param begin when it was called, in nanoseconds of a clock that all clients share
 * @param end when it was answered; the greatest number if nobody knows whether it took effect
 * @param expected what a conditional write expected; empty for a read
 * @param written what it was to write; empty for a read
 * @param found what it was told it had found; empty if there was no answer
 */
public record RegisterOperation(
    long begin, long end, OptionalLong expected, OptionalLong written, OptionalLong found) {
  /** A read that was answered. */
  public static RegisterOperation read(long begin, long end, long found) {
    return new RegisterOperation(
        begin, end, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.of(found));
  }

  /** A conditional write that was answered: it was executed if it found what it expected. */
  public static RegisterOperation write(
      long begin, long end, long expected, long written, long found) {
    return new RegisterOperation(
        begin, end, OptionalLong.of(expected), OptionalLong.of(written), OptionalLong.of(found));
  }

  /** A conditional write without an answer: it takes effect some time after its begin, or never. */
  public static RegisterOperation open(long begin, long expected, long written) {
    return new RegisterOperation(
        begin,
        Long.MAX_VALUE,
        OptionalLong.of(expected),
        OptionalLong.of(written),
        OptionalLong.empty());
  }

  /** Whether nobody knows whether it took effect. */
  boolean isOpen() {
    return found.isEmpty();
  }

  /** Whether it can take effect on a value; an open one that would not is as good as none. */
  boolean fits(long value) {
    return found.isPresent()
        ? found.getAsLong() == value
        : expected.isPresent() && expected.getAsLong() == value;
  }

  /** What the register is after it, if it fits. */
  long after(long value) {
    return expected.isPresent() && expected.getAsLong() == value ? written.getAsLong() : value;
  }
}
