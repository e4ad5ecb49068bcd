package io.github.stablecut.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Of what strangers cause a little is logged, and the rest is counted. */
class LogLimitTest {
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 10);
  private final LogLimit limit = new LogLimit(2, Duration.ofNanos(100), clock::get);

  @Test
  void admitsAFewPerPeriodAndTellsHowManyWereLeftOut() {
    assertThat(limit.admit()).hasValue(0);
    assertThat(limit.admit()).hasValue(0);
    for (int i = 0; i < 1_000; i++) {
      assertThat(limit.admit()).isEmpty();
    }

    long unused = clock.addAndGet(100);

    assertThat(limit.admit()).hasValue(1_000);
    assertThat(limit.admit()).hasValue(0);
    assertThat(limit.admit()).isEmpty();
  }

  @Test
  void saysNothingOfNothing() {
    assertThat(LogLimit.suffix(0)).isEmpty();
    assertThat(LogLimit.suffix(1_234)).isEqualTo(" (1,234 more like this were left out)");
  }

  @Test
  void hasWhatIsAdmittedLoggedWithTheNumberOfTheOthers() {
    List<String> logged = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      limit.ifAdmitted(more -> logged.add("failed" + more));
    }
    long unused = clock.addAndGet(100);
    limit.ifAdmitted(more -> logged.add("failed" + more));

    assertThat(logged)
        .containsExactly("failed", "failed", "failed (8 more like this were left out)");
  }

  @Test
  void admitsFiveAMinuteUnlessOtherwiseSaid() {
    LogLimit usual = new LogLimit();

    assertThat(IntStream.range(0, 1_000).filter(i -> usual.admit().isPresent())).hasSize(5);
  }
}
