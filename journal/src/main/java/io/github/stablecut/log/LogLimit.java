package io.github.stablecut.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Admits a few log messages of one kind per period, and counts the others. Thread-safe.
 *
 * <p>The number of messages left out is reported with the first message admitted after them.
 */
public final class LogLimit {
  private static final int DEFAULT_MESSAGES = 5;
  private static final Duration DEFAULT_PERIOD = Duration.ofMinutes(1);

  private final int messages;
  private final long periodNanos;
  private final LongSupplier nanoClock;

  @GuardedBy("this")
  private long begun;

  @GuardedBy("this")
  private int admitted;

  @GuardedBy("this")
  private long leftOut;

  /** Five messages a minute. */
  public LogLimit() {
    this(DEFAULT_MESSAGES, DEFAULT_PERIOD, System::nanoTime);
  }

  /**
   * A limit.
   *
   * @param messages how many are admitted per period, at least 1
   * @param nanoClock a clock that runs evenly
   */
  public LogLimit(int messages, Duration period, LongSupplier nanoClock) {
    this.messages = messages;
    this.periodNanos = period.toNanos();
    this.nanoClock = nanoClock;
    this.begun = nanoClock.getAsLong();
  }

  /**
   * Counts a message.
   *
   * @return empty if it has to be left out; otherwise the number of messages left out since the
   *     last one that was admitted
   */
  public synchronized OptionalLong admit() {
    long now = nanoClock.getAsLong();
    if (now - begun >= periodNanos) {
      begun = now;
      admitted = 0;
    }
    if (admitted == messages) {
      leftOut++;
      return OptionalLong.empty();
    }
    admitted++;
    long before = leftOut;
    leftOut = 0;
    return OptionalLong.of(before);
  }

  /**
   * Counts a message, and has it logged if it is admitted.
   *
   * @param log is given the end of the message: how many like it were left out, if any were
   */
  public void ifAdmitted(Consumer<String> log) {
    admit().ifPresent(leftOut -> log.accept(suffix(leftOut)));
  }

  /** The end of an admitted message: how many like it were left out, if any were. */
  public static String suffix(long leftOut) {
    return leftOut == 0 ? "" : " (%,d more like this were left out)".formatted(leftOut);
  }
}
