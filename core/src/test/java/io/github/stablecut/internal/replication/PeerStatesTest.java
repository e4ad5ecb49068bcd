package io.github.stablecut.internal.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which peer a partition asks for a stream, and what it knows of its peers' knowledge. */
final class PeerStatesTest {
  private static final int SOURCE = 0;
  private static final int GROUP = 77;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final PeerStates peers = new PeerStates();

  private void hear(int from, int members, long reached, long now) {
    VectorClock vector = VectorClock.ZERO.with(SOURCE, reached);
    peers.heard(new ReplicationMessage.Head(from, members, 0, vector), now);
  }

  @Test
  void asksTheLivePeerThatHasMost() {
    hear(1, GROUP, 50, 0);
    hear(2, GROUP, 40, 2 * SECOND);
    assertThat(peers.bestOf(SOURCE, Set.of(), 10, 2 * SECOND)).contains(1);

    assertThat(peers.bestOf(SOURCE, Set.of(1), 10, 2 * SECOND)).contains(2);
    assertThat(peers.bestOf(SOURCE, Set.of(), 10, 3 * SECOND)).contains(2);
    assertThat(peers.bestOf(SOURCE, Set.of(), 40, 3 * SECOND)).isEmpty();
  }

  @Test
  void aPeerThatWasNeverHeardIsSilentAndKnowsNothing() {
    assertThat(peers.isHeard(1, 0)).isFalse();
    assertThat(peers.know(Set.of(1), GROUP)).isFalse();
    assertThat(peers.haveReached(Set.of(1), SOURCE, 0)).isFalse();
    assertThat(peers.know(Set.of(), GROUP)).isTrue();
  }

  @Test
  void allHaveToKnowTheSameGroup() {
    hear(1, GROUP, 0, 0);
    hear(2, ~GROUP, 0, 0);
    assertThat(peers.know(Set.of(1, 2), GROUP)).isFalse();

    hear(2, GROUP, 0, 100 * SECOND);
    assertThat(peers.know(Set.of(1, 2), GROUP)).isTrue();
  }

  @Test
  void allHaveToHaveAllOfAnEndedStream() {
    hear(1, GROUP, 50, 0);
    hear(2, GROUP, 51, 0);

    assertThat(peers.haveReached(Set.of(1), SOURCE, 50)).isTrue();
    assertThat(peers.haveReached(Set.of(1, 2), SOURCE, 50)).isFalse();
    assertThat(peers.haveReached(Set.of(1, 2), SOURCE, 51)).isFalse();
  }
}
