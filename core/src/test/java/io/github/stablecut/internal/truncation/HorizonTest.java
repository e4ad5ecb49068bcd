package io.github.stablecut.internal.truncation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.TransactionExpiredException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The truncation bounds while transactions run here and on other nodes. */
class HorizonTest {
  private final ActiveSnapshots active = new ActiveSnapshots(() -> 0, Long.MAX_VALUE);

  /** The minimum that other nodes may need. */
  private long needed = 50;

  private int passedThrough;

  private final Horizon horizon =
      new Horizon(
          active,
          vector -> vector.meet(VectorClock.of(needed)),
          vector -> vector,
          vector -> vector,
          () -> passedThrough++,
          at(10));

  private static VectorClock at(long time) {
    return VectorClock.of(time);
  }

  @Test
  void theLowWatermarkStaysBelowTheNeedsOfOtherNodes() {
    VectorClock low = horizon.raise(List.of(at(20), at(50), at(60)), at(100));

    assertThat(low).isEqualTo(at(50));
  }

  @Test
  void thePruneFrontierStaysBelowTheNeedsOfOtherNodes() {
    assertThat(horizon.intendFrontier(at(90))).isEqualTo(at(50));
  }

  @Test
  void refusesACommitOnceAFrontierHasPassedItsSnapshot() {
    horizon.checkCommit(at(49));

    VectorClock frontier = horizon.intendFrontier(at(90));
    needed = 80;

    assertThat(frontier).isEqualTo(at(50));
    assertThat(passedThrough).isEqualTo(1);
    horizon.checkCommit(at(50));
    assertThatThrownBy(() -> horizon.checkCommit(at(49)))
        .isInstanceOf(TransactionExpiredException.class);
  }

  @Test
  void refusesACommitOnceTheLowWatermarkHasPassedItsSnapshot() {
    horizon.raise(List.of(at(20), at(50)), at(100));

    horizon.checkCommit(at(50));
    assertThatThrownBy(() -> horizon.checkCommit(at(49)))
        .isInstanceOf(TransactionExpiredException.class);
  }

  @Test
  void aLocalActiveSnapshotKeepsTheFrontierBelowIt() {
    ActiveSnapshots.Registration claim = active.register(at(40));

    assertThat(horizon.intendFrontier(at(90))).isEqualTo(at(40));
    claim.end();
  }

  @Test
  void aReopenedPartitionKnowsTheFrontierOfItsNewestCheckpoint() {
    horizon.recover(at(30));

    horizon.checkCommit(at(30));
    assertThatThrownBy(() -> horizon.checkCommit(at(29)))
        .isInstanceOf(TransactionExpiredException.class);
  }
}
