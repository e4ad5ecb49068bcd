package io.github.stablecut.cluster.internal.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A node is leaving while its leave is announced repeatedly. */
class LeaveAnnouncementTest {
  private static final long SECOND = 1_000_000_000;

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5 * SECOND);
  private final LeaveAnnouncement departure = new LeaveAnnouncement(now::get);

  private void pass(long seconds) {
    now.set(now.get() + seconds * SECOND);
  }

  @Test
  void aNodeStaysWithoutAnAnnouncement() {
    assertThat(departure.isUnderWay()).isFalse();
  }

  @Test
  void expiresWithoutRenewal() {
    departure.announce("a", Duration.ofSeconds(10));

    pass(9);
    assertThat(departure.isUnderWay()).isTrue();
    pass(1);
    assertThat(departure.isUnderWay()).isFalse();
  }

  @Test
  void lastsWhileItIsRenewed() {
    departure.announce("a", Duration.ofSeconds(10));
    pass(9);

    departure.announce("a", Duration.ofSeconds(10));

    pass(9);
    assertThat(departure.isUnderWay()).isTrue();
  }

  @Test
  void canBeRevoked() {
    departure.announce("a", Duration.ofSeconds(10));

    departure.announce("a", Duration.ZERO);

    assertThat(departure.isUnderWay()).isFalse();
  }

  @Test
  void onlyItsAnnouncerRevokesIt() {
    departure.announce("a", Duration.ofSeconds(10));
    departure.announce("b", Duration.ofSeconds(10));

    departure.announce("b", Duration.ZERO);

    pass(9);
    assertThat(departure.isUnderWay()).isTrue();
    pass(1);
    assertThat(departure.isUnderWay()).isFalse();
  }

  @Test
  void aNodeThatHasLeftDoesNotReturn() {
    departure.finish();

    departure.announce("a", Duration.ZERO);

    assertThat(departure.isUnderWay()).isTrue();
  }
}
