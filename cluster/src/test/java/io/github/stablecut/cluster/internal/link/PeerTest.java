package io.github.stablecut.cluster.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** When connections to a node are made. */
class PeerTest {
  private static final long PAUSE = Peer.FIRST_PAUSE_NANOS;

  private final Peer peer = new Peer(new LinkAddress("n2", "h:1", "h", 2, 3), 2, 100);

  @CanIgnoreReturnValue
  private Peer.Attempt begin(int loop, long now) {
    return Objects.requireNonNull(peer.begin(loop, now));
  }

  @Test
  void anEventLoopHasOneConnection() {
    begin(0, 100);

    assertThat(peer.begin(0, 100 + 100 * PAUSE)).isNull();
    assertThat(peer.begin(1, 100)).isNotNull();
  }

  @Test
  void theBackOffGrowsWithEachFailure() {
    long now = 100;
    for (int pauses : new int[] {1, 2, 4, 8, 16, 30, 30}) {
      peer.ended(begin(0, now), "a test", now);
      now += pauses * PAUSE;
      assertThat(peer.begin(0, now - 1)).isNull();
      assertThat(peer.begin(1, now - 1)).isNull();
    }
    assertThat(peer.begin(0, now)).isNotNull();
  }

  @Test
  void simultaneousFailuresIncreaseTheBackOffOnce() {
    Peer.Attempt one = begin(0, 100);
    Peer.Attempt two = begin(1, 100);

    peer.ended(one, "a test", 100);
    peer.ended(two, "a test", 101);
    peer.ended(begin(0, 100 + PAUSE), "a test", 100 + PAUSE);

    assertThat(peer.begin(0, 99 + 3 * PAUSE)).isNull();
    assertThat(peer.begin(0, 100 + 3 * PAUSE)).isNotNull();
  }

  /** A failed connection reports both its failure and its end. */
  @Test
  void aRepeatedEndOfAConnectionEndsNoOther() {
    Peer.Attempt first = begin(0, 100);
    peer.ended(first, "a test", 100);
    begin(0, 100 + PAUSE);

    peer.ended(first, "a test", 100 + PAUSE);

    assertThat(peer.begin(0, 100 + 100 * PAUSE)).isNull();
    assertThat(peer.begin(1, 100 + PAUSE)).as("without a back-off").isNotNull();
  }
}
