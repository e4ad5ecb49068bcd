package io.github.stablecut.internal.truncation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What may be forgotten while transactions run here and on other nodes. */
class HorizonTest {
  private final ActiveSnapshots active = new ActiveSnapshots(() -> 0, Long.MAX_VALUE);

  /** What other nodes may need. */
  private long needed = 50;

  private final Horizon horizon =
      new Horizon(active, vector -> vector.meet(VectorClock.of(needed)), vector -> vector, at(10));

  private static VectorClock at(long time) {
    return VectorClock.of(time);
  }

  @Test
  void theLowWatermarkStaysBelowWhatOtherNodesMayNeed() {
    VectorClock low = horizon.raise(List.of(at(20), at(50), at(60)), at(100));

    assertThat(low).isEqualTo(at(50));
  }

  @Test
  void thePruneFrontierStaysBelowWhatOtherNodesMayNeed() {
    assertThat(horizon.intendFrontier(at(90))).isEqualTo(at(50));
  }

  @Test
  void aFrontierIsNotRaisedByTimeThatPassesWhileItIsChosen() {
    VectorClock frontier = horizon.intendFrontier(at(90));
    needed = 80;

    assertThat(horizon.admitsLate(at(50))).isTrue();
    assertThat(horizon.admitsLate(at(49))).isFalse();
    assertThat(frontier).isEqualTo(at(50));
  }

  @Test
  void whatArrivesLateIsRefusedOnceAFrontierHasPassedIt() {
    assertThat(horizon.admitsLate(at(49))).isTrue();

    VectorClock unused = horizon.intendFrontier(at(90));

    assertThat(horizon.admitsLate(at(49))).isFalse();
  }

  @Test
  void whatWasClaimedHereKeepsTheFrontierBelowIt() {
    ActiveSnapshots.Registration claim = active.register(at(40));

    assertThat(horizon.intendFrontier(at(90))).isEqualTo(at(40));
    claim.end();
  }

  @Test
  void aReopenedPartitionKnowsTheFrontierOfItsNewestCheckpoint() {
    horizon.recover(at(30));

    assertThat(horizon.admitsLate(at(29))).isFalse();
    assertThat(horizon.admitsLate(at(30))).isTrue();
  }
}
