package io.github.stablecut.internal.truncation;

import io.github.stablecut.Races;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.TransactionExpiredException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Protocol 1.5: beginning readers race with truncation. */
final class HorizonRacesTest {
  private static final int ORDERS = 100;
  private static final VectorClock OLD = VectorClock.of(20);
  private static final VectorClock NEW = VectorClock.of(50);

  /** The first thread begins at an old snapshot, the second truncates. */
  private abstract static class BeginRace implements Races.Race {
    final ActiveSnapshots active = new ActiveSnapshots(() -> 0, Long.MAX_VALUE);
    final Horizon horizon =
        new Horizon(
            active,
            vector -> vector,
            vector -> vector,
            vector -> vector,
            this::barrier,
            VectorClock.of(10));
    boolean hasBegun;
    VectorClock frontier = VectorClock.ZERO;

    /** As passing through the commit lock. */
    void barrier() {}

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
      horizon.raise(List.of(VectorClock.of(15), OLD, NEW), NEW);
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
  void aBegunReaderReadsNothingTruncated() {
    Races.inEveryOrder(
        ORDERS,
        () ->
            new BeginRace() {
              @Override
              public void second() {
                raise();
              }
            });
  }

  @Test
  void pinnedHistoryIsKept() {
    Races.inEveryOrder(
        ORDERS,
        () ->
            new BeginRace() {
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
  void aBegunTransactionWritesNothingOntoPrunedState() {
    Races.inEveryOrder(
        ORDERS,
        () ->
            new BeginRace() {
              @Override
              public void second() {
                frontier = horizon.intendFrontier(NEW);
              }
            });
  }

  /** A retained token may be read at any time, also while the retained vector is computed. */
  @Test
  void pinnedHistoryIsNeverReportedAsTruncated() {
    Races.inEveryOrder(
        ORDERS,
        () ->
            new BeginRace() {
              private final ActiveSnapshots.Registration pin = active.pin(OLD);
              private boolean isRefused;

              @Override
              public void first() {
                try {
                  horizon.check(pin.snapshot());
                } catch (SnapshotTruncatedException e) {
                  isRefused = true;
                }
              }

              @Override
              public void second() {
                raise();
              }

              @Override
              public boolean isRight() {
                return !isRefused;
              }
            });
  }

  /**
   * A commit without an active snapshot: either the checkpointer finds it in the index, or it is
   * refused.
   */
  @Test
  void aCommitWithoutAnActiveSnapshotIsInTheIndexBeforeTheCheckpointOrIsRefused() {
    Races.inEveryOrder(
        ORDERS,
        () ->
            new BeginRace() {
              private final Object commitLock = new Object();
              private boolean isInIndex;
              private boolean wasFound;

              @Override
              void barrier() {
                synchronized (commitLock) {
                  // The previous holder has released it.
                }
              }

              @Override
              public void first() {
                synchronized (commitLock) {
                  try {
                    horizon.checkCommit(OLD);
                    isInIndex = true;
                  } catch (TransactionExpiredException e) {
                    // It is refused.
                  }
                }
              }

              @Override
              public void second() {
                frontier = horizon.intendFrontier(NEW);
                synchronized (commitLock) {
                  wasFound = isInIndex;
                }
              }

              @Override
              public boolean isRight() {
                return !isInIndex || wasFound || frontier.isAtOrBefore(OLD);
              }
            });
  }
}
