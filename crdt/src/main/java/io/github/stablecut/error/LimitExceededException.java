package io.github.stablecut.error;

import java.math.BigInteger;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a key, a value or a transaction exceeds a limit, and nothing was changed; or if the sum
 * of a counter does not fit a {@code long}.
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
   * @param cause the underlying exception, from which this one takes the {@link #sum}, if any
   */
  public LimitExceededException(String message, Throwable cause) {
    super(message, cause);
    this.sum = cause instanceof LimitExceededException of ? of.sum : null;
  }

  /**
   * For the sum of a counter that does not fit a {@code long}.
   *
   * @param message what happened, with the facts, and what to do
   */
  public LimitExceededException(String message, BigInteger sum) {
    super(message);
    this.sum = sum;
  }

  /**
   * The exact sum of a counter that does not fit a {@code long}; empty for other limits, or if
   * another process reported the failure without the sum.
   */
  public Optional<BigInteger> sum() {
    return Optional.ofNullable(sum);
  }
}
