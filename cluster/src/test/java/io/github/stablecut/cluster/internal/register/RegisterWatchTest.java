package io.github.stablecut.cluster.internal.register;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Reports of the register's leader, and recoveries of the register. */
final class RegisterWatchTest {
  private final RegisterWatch watch = new RegisterWatch();

  private void report() {
    watch.recordReport(RegisterWatch.toBytes(List.of(List.of("n1"), List.of(), List.of())));
  }

  @Test
  void countsARecoveryWhenAReportFollowsAFailure() {
    watch.recordFailure();
    assertThat(watch.recoveries()).isZero();
    report();
    report();
    assertThat(watch.recoveries()).isEqualTo(1);

    watch.recordFailure();
    watch.recordFailure();
    report();

    assertThat(watch.recoveries()).isEqualTo(2);
  }
}
