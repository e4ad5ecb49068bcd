package io.github.stablecut.cluster.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.replication.DataCentre;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The report of a server's status. */
final class StatusReportTest {
  @Test
  void reportsTheBeginningOfTheStoreAsNull() {
    Instant begin = Instant.parse("2020-01-01T00:00:00Z");
    Instant later = begin.plusMillis(1);

    Map<String, @Nullable Object> nothing =
        StatusReport.dataCentre(dataCentre(begin, Instant.EPOCH));
    Map<String, @Nullable Object> something = StatusReport.dataCentre(dataCentre(later, later));

    assertThat(nothing.get("received")).isNull();
    assertThat(nothing.get("acknowledged")).isNull();
    assertThat(nothing).containsKeys("received", "acknowledged");
    assertThat(something.get("received")).isEqualTo("2020-01-01T00:00:00.001Z");
    assertThat(something.get("behindMillis")).isEqualTo(120_000L);
    assertThat(something.get("untilDetachedMillis")).isEqualTo(3_600_000L);
    assertThat(something.get("acknowledged")).isEqualTo("2020-01-01T00:00:00.001Z");
  }

  private static DataCentre dataCentre(Instant received, Instant acknowledged) {
    return DataCentre.builder(1, 7, DataCentre.State.MEMBER)
        .isReachable(true)
        .received(received)
        .acknowledged(acknowledged)
        .lag(Duration.ofMinutes(2), Optional.of(Duration.ofHours(1)))
        .build();
  }
}
