package io.github.stablecut.cluster.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The line that shows the progress of work. */
final class ProgressBarTest {
  private static final long MILLI = 1_000_000;

  private final ByteArrayOutputStream drawn = new ByteArrayOutputStream();
  private final AtomicLong nanos = new AtomicLong();

  private ProgressBar bar(int columns) {
    return new ProgressBar(new PrintStream(drawn, true, UTF_8), columns, "commits", nanos::get);
  }

  @Test
  void showsPartNumberAndSpeedInPlaceAndDisappears() {
    try (ProgressBar bar = bar(80)) {
      bar.begin("importing", 1000);
      nanos.set(500 * MILLI);
      bar.update(2500, 0.5);
    }

    assertThat(drawn.toString(UTF_8))
        .isEqualTo(
            "\r\u001b[Kimporting  [==============              ]  50%  2,500 commits  3,000/s\r\u001b[K");
  }

  @Test
  void redrawsTenTimesASecondAtMost() {
    try (ProgressBar bar = bar(80)) {
      for (int i = 0; i < 1000; i++) {
        nanos.set(i * MILLI);
        bar.update(i, -1);
      }
    }

    assertThat(drawn.toString(UTF_8)).doesNotContain("[=").doesNotContain("%");
    assertThat(drawn.toString(UTF_8).chars().filter(c -> c == '\r').count()).isEqualTo(11);
  }

  @Test
  void printsNothingWithoutATerminal() {
    try (ProgressBar bar = bar(0)) {
      bar.update(1, 0.1);
    }

    assertThat(drawn.toByteArray()).isEmpty();
  }

  @Test
  void fitsTheTerminal() {
    for (int columns = 1; columns < 100; columns++) {
      drawn.reset();
      try (ProgressBar bar = bar(columns)) {
        bar.begin("importing", 0);
        nanos.addAndGet(500 * MILLI);
        bar.update(2500, 0.5);
      }

      String line = drawn.toString(UTF_8).split("\\[K", -1)[1].replace("\r\u001b", "");
      assertThat(line.length()).isLessThan(columns);
      assertThat(line.contains("[==")).as("%d: %s", columns, line).isEqualTo(columns > 47);
    }
  }
}
