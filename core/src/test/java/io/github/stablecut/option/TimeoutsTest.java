package io.github.stablecut.option;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimeoutsTest {
  @Test
  void aLargeTransactionMayTakeLonger() {
    Timeouts timeouts = Timeouts.defaults();

    assertThat(timeouts.commit(0)).isEqualTo(timeouts.commit());
    assertThat(timeouts.commit((1 << 20) - 1)).isEqualTo(timeouts.commit());
    assertThat(timeouts.commit(4 << 20)).isEqualTo(Duration.ofSeconds(11));
    assertThat(timeouts.commit(256 << 20)).isEqualTo(Duration.ofSeconds(74));
  }
}
