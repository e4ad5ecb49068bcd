package io.github.stablecut.error;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Formats durations for messages: "10 seconds", "1 hour 30 minutes". */
public final class DurationWords {
  private DurationWords() {}

  /** A duration in units from days to nanoseconds, without those that are zero. */
  public static String of(Duration duration) {
    if (duration.isNegative()) {
      return "minus " + of(duration.negated());
    }
    List<String> words = new ArrayList<>();
    add(words, duration.toDays(), "day");
    add(words, duration.toHoursPart(), "hour");
    add(words, duration.toMinutesPart(), "minute");
    add(words, duration.toSecondsPart(), "second");
    add(words, duration.toMillisPart(), "millisecond");
    add(words, duration.toNanosPart() % 1_000_000, "nanosecond");
    return words.isEmpty() ? "0 seconds" : String.join(" ", words);
  }

  private static void add(List<String> words, long number, String unit) {
    if (number != 0) {
      words.add("%,d %s%s".formatted(number, unit, number == 1 ? "" : "s"));
    }
  }
}
