package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Reachability follows from this node's own heartbeats in both directions. */
class ReachabilityTest {
  private final AtomicLong nanos = new AtomicLong(-3);
  private final Reachability reachability = new Reachability(nanos::get);

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void aMemberIsReachableWhileItConfirmsThatItHearsThisNode() {
    reachability.recordHeartbeat("a:1", false);
    assertThat(reachability.isReachable("a:1")).isFalse();
    assertThat(reachability.heardAddresses()).containsExactly("a:1");

    reachability.recordHeartbeat("a:1", true);
    assertThat(reachability.isReachable("a:1")).isTrue();

    reachability.recordHeartbeat("a:1", false);
    assertThat(reachability.isReachable("a:1")).isFalse();
  }

  @Test
  void aSilentMemberIsUnreachable() {
    reachability.recordHeartbeat("a:1", true);
    pass(Reachability.SILENCE.minusNanos(1));
    assertThat(reachability.isReachable("a:1")).isTrue();
    pass(Duration.ofNanos(1));
    assertThat(reachability.isReachable("a:1")).isFalse();
    assertThat(reachability.heardAddresses()).isEmpty();
  }

  @Test
  void ignoresTimeWhileThisProcessWasFrozen() {
    Duration limit = Duration.ofSeconds(5);
    reachability.updateLost(List.of("a:1"));
    pass(Duration.ofHours(1));
    reachability.updateLost(List.of("a:1"));
    assertThat(reachability.isLostFor("a:1", limit)).isFalse();

    for (int i = 0; i < 6; i++) {
      pass(Duration.ofSeconds(1));
      reachability.updateLost(List.of("a:1"));
    }
    assertThat(reachability.isLostFor("a:1", limit)).isTrue();

    reachability.updateLost(List.of());
    assertThat(reachability.isLostFor("a:1", limit)).isFalse();
  }
}
