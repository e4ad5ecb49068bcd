package io.github.stablecut.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages that outsiders can cause are logged up to a limit, and counted beyond it. */
class LogLimitTest {
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 10);
  private final LogLimit limit = new LogLimit(2, Duration.ofNanos(100), clock::get);

  @Test
  void admitsAFewPerPeriodAndReportsHowManyWereSuppressed() {
    assertThat(limit.admit()).hasValue(0);
    assertThat(limit.admit()).hasValue(0);
    for (int i = 0; i < 1_000; i++) {
      assertThat(limit.admit()).isEmpty();
    }

    clock.addAndGet(100);

    assertThat(limit.admit()).hasValue(1_000);
    assertThat(limit.admit()).hasValue(0);
    assertThat(limit.admit()).isEmpty();
  }

  @Test
  void theSuffixIsEmptyIfNothingWasSuppressed() {
    assertThat(LogLimit.suffix(0)).isEmpty();
    assertThat(LogLimit.suffix(1_234)).isEqualTo(" (1,234 similar messages were suppressed)");
  }

  @Test
  void logsAdmittedMessagesWithTheNumberOfSuppressedOnes() {
    List<String> logged = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      limit.ifAdmitted(more -> logged.add("failed" + more));
    }
    clock.addAndGet(100);
    limit.ifAdmitted(more -> logged.add("failed" + more));

    assertThat(logged)
        .containsExactly("failed", "failed", "failed (8 similar messages were suppressed)");
  }

  @Test
  void admitsFiveAMinuteByDefault() {
    LogLimit defaults = new LogLimit();

    assertThat(IntStream.range(0, 1_000).filter(i -> defaults.admit().isPresent())).hasSize(5);
  }
}
