package io.github.stablecut.cluster.terminal;

import io.github.stablecut.error.DurationWords;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** Formats quantities for people, with units and suitable precision. */
public final class Quantities {
  private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

  private Quantities() {}

  /** A size: {@code 41.0 MiB}. */
  public static String bytes(long bytes) {
    double size = bytes;
    int unit = 0;
    while (size >= 1024 && unit < UNITS.length - 1) {
      size /= 1024;
      unit++;
    }
    boolean isWhole = unit == 0 || size >= 100;
    return (isWhole ? "%,.0f %s" : "%,.1f %s").formatted(size, UNITS[unit]);
  }

  /** A time span, in its one or two largest units: {@code 3 hours 20 minutes}. */
  public static String span(Duration span) {
    if (span.compareTo(Duration.ofSeconds(1)) < 0) {
      return "less than a second";
    }
    ChronoUnit precision =
        span.compareTo(Duration.ofMinutes(10)) < 0
            ? ChronoUnit.SECONDS
            : span.compareTo(Duration.ofDays(2)) < 0 ? ChronoUnit.MINUTES : ChronoUnit.HOURS;
    return DurationWords.of(span.truncatedTo(precision));
  }

  /** A short time: {@code 2.1 ms}. */
  public static String micros(long micros) {
    if (micros >= 10_000_000) {
      return "%,.0f s".formatted(micros / 1e6);
    }
    return micros >= 1_000 ? "%,.1f ms".formatted(micros / 1e3) : "%,d µs".formatted(micros);
  }

  /** A number of things: {@code 1 file}, {@code 2 files}. */
  public static String count(long number, String noun) {
    return "%,d %s%s".formatted(number, noun, number == 1 ? "" : "s");
  }
}
