package io.github.stablecut.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Durations in messages. */
final class DurationWordsTest {
  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 seconds",
    "PT10S, 10 seconds",
    "PT1S, 1 second",
    "PT0.2S, 200 milliseconds",
    "PT1.5S, 1 second 500 milliseconds",
    "PT90M, 1 hour 30 minutes",
    "P1D, 1 day",
    "P2000DT1M, '2,000 days 1 minute'",
    "PT0.000000001S, 1 nanosecond",
    "PT-3S, minus 3 seconds"
  })
  void omitsUnitsThatAreZero(Duration duration, String words) {
    assertThat(DurationWords.of(duration)).isEqualTo(words);
  }
}
