package io.github.stablecut.error;

import java.math.BigInteger;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A key, a value or a transaction is larger than allowed, and nothing was changed; or the sum of a
 * counter is larger than what a reader can be given.
 */
public final class LimitExceededException extends UsageException {
  private static final long serialVersionUID = 1L;

  private final @Nullable BigInteger sum;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public LimitExceededException(String message) {
    super(message);
    this.sum = null;
  }

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause what was caught; if it is about a sum, so is this
   */
  public LimitExceededException(String message, Throwable cause) {
    super(message, cause);
    this.sum = cause instanceof LimitExceededException of ? of.sum : null;
  }

  /**
   * A counter has a sum that a {@code long} can't hold.
   *
   * @param message what happened, with the facts, and what to do
   */
  public LimitExceededException(String message, BigInteger sum) {
    super(message);
    this.sum = sum;
  }

  /**
   * The exact sum of the counter that a {@code long} can't hold; empty if this is about something
   * else, or if the answer of another process was only that there is no answer.
   */
  public Optional<BigInteger> sum() {
    return Optional.ofNullable(sum);
  }
}
