package io.github.stablecut.internal.truncation;

import io.github.stablecut.Races;
import io.github.stablecut.SnapshotTruncatedException;
import io.github.stablecut.causality.VectorClock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Protocol 1.5: those who begin to read, and those who forget. */
final class HorizonRacesTest {
  private static final int ORDERS = 200;
  private static final VectorClock OLD = VectorClock.of(20);
  private static final VectorClock NEW = VectorClock.of(50);

  /** The first begins at an old snapshot, the second forgets. */
  private abstract static class Beginning implements Races.Race {
    final ActiveSnapshots active = new ActiveSnapshots(() -> 0, Long.MAX_VALUE);
    final Horizon horizon =
        new Horizon(active, vector -> vector, vector -> vector, VectorClock.of(10));
    boolean hasBegun;
    VectorClock frontier = VectorClock.ZERO;

    /** As a transaction begins. */
    @Override
    public void first() {
      ActiveSnapshots.Registration claim = active.register(OLD);
      hasBegun = horizon.admits(OLD);
      if (!hasBegun) {
        claim.end();
      }
    }

    void raise() {
      VectorClock unused = horizon.raise(List.of(VectorClock.of(15), OLD, NEW), NEW);
    }

    @Override
    public boolean isRight() {
      return !hasBegun || (horizon.low().isAtOrBefore(OLD) && frontier.isAtOrBefore(OLD));
    }

    @Override
    public String toString() {
      return "begun %s, low watermark %s, frontier %s".formatted(hasBegun, horizon.low(), frontier);
    }
  }

  @Test
  void whoHasBegunReadsNothingThatIsForgotten() {
    Races.inEveryOrder(
        ORDERS,
        () ->
            new Beginning() {
              @Override
              public void second() {
                raise();
              }
            });
  }

  @Test
  void whatIsPinnedIsKept() {
    Races.inEveryOrder(
        ORDERS,
        () ->
            new Beginning() {
              @Override
              public void first() {
                ActiveSnapshots.Registration claim = active.pin(OLD);
                try {
                  horizon.check(OLD);
                  hasBegun = true;
                } catch (SnapshotTruncatedException e) {
                  claim.end();
                }
              }

              @Override
              public void second() {
                raise();
              }
            });
  }

  /** Scenario 54. */
  @Test
  void whoHasBegunWritesNothingOntoWhatIsPruned() {
    Races.inEveryOrder(
        ORDERS,
        () ->
            new Beginning() {
              @Override
              public void second() {
                frontier = horizon.intendFrontier(NEW);
              }
            });
  }

  /** What began on another node, and is claimed here only now. */
  @Test
  void whatArrivesLateIsRefusedOrKeepsTheFrontierBelowIt() {
    Races.inEveryOrder(
        ORDERS,
        () ->
            new Beginning() {
              @Override
              public void first() {
                ActiveSnapshots.Registration claim = active.register(OLD);
                hasBegun = horizon.admitsLate(OLD);
                if (!hasBegun) {
                  claim.end();
                }
              }

              @Override
              public void second() {
                frontier = horizon.intendFrontier(NEW);
              }
            });
  }
}
