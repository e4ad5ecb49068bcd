package io.github.stablecut.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Admits a few log messages of one kind per period, and counts the others. Thread-safe.
 *
 * <p>The first message admitted after suppressed ones reports their number.
 */
public final class LogLimit {
  private static final int DEFAULT_MESSAGES = 5;
  private static final Duration DEFAULT_PERIOD = Duration.ofMinutes(1);

  private final int messages;
  private final long periodNanos;
  private final LongSupplier nanoClock;

  @GuardedBy("this")
  private long periodStartNanos;

  @GuardedBy("this")
  private int admitted;

  @GuardedBy("this")
  private long suppressed;

  /** Five messages a minute. */
  public LogLimit() {
    this(DEFAULT_MESSAGES, DEFAULT_PERIOD, System::nanoTime);
  }

  /**
   * A limit.
   *
   * @param messages the maximum per period, at least 1
   * @param nanoClock a monotonic clock
   */
  public LogLimit(int messages, Duration period, LongSupplier nanoClock) {
    this.messages = messages;
    this.periodNanos = period.toNanos();
    this.nanoClock = nanoClock;
    this.periodStartNanos = nanoClock.getAsLong();
  }

  /**
   * Counts a message.
   *
   * @return empty if the message is to be suppressed; otherwise the number of messages suppressed
   *     since the last admitted one
   */
  public synchronized OptionalLong admit() {
    long nowNanos = nanoClock.getAsLong();
    if (nowNanos - periodStartNanos >= periodNanos) {
      periodStartNanos = nowNanos;
      admitted = 0;
    }
    if (admitted == messages) {
      suppressed++;
      return OptionalLong.empty();
    }
    admitted++;
    long before = suppressed;
    suppressed = 0;
    return OptionalLong.of(before);
  }

  /**
   * Counts a message, and logs it if it is admitted.
   *
   * @param log gets the suffix of the message: how many like it were suppressed, if any
   */
  public void ifAdmitted(Consumer<String> log) {
    admit().ifPresent(suppressed -> log.accept(suffix(suppressed)));
  }

  /** The suffix of an admitted message: how many like it were suppressed, if any. */
  public static String suffix(long suppressed) {
    return suppressed == 0 ? "" : " (%,d similar messages were suppressed)".formatted(suppressed);
  }
}
