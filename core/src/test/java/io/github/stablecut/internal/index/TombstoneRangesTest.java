package io.github.stablecut.internal.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import org.junit.jupiter.api.Test;

/** The memory bound of remembered ranges without objects, with long names. */
final class TombstoneRangesTest {
  private static final VectorClock AT = VectorClock.of(7);
  private static final String LONG = "k".repeat(30_000);

  private final TombstoneRanges runs = new TombstoneRanges();

  private static Bytes id(int number) {
    return Bytes.utf8(LONG + (1_000_000 + number));
  }

  private void remember(int first, int last) {
    try (TombstoneRanges.Watch watch = runs.watch(IdRange.all())) {
      runs.remember(watch, id(first), id(last), AT);
    }
  }

  private boolean isKnown(int first, int last) {
    return runs.skip(IdRange.between(id(first), id(last)), false, AT).isEmpty();
  }

  @Test
  void theIdsOfRunsTakeABoundedShareOfTheHeap() {
    for (int run = 0; run < 500; run++) {
      remember(10 * run, 10 * run + 5);
      assertThat(runs.bytes()).isLessThanOrEqualTo(TombstoneRanges.MAX_BYTES);
    }

    assertThat(isKnown(4_990, 4_995)).isTrue();
    assertThat(isKnown(0, 5)).isFalse();
  }

  @Test
  void theBoundHoldsAlsoIfWritesSplitARun() {
    remember(0, 1_000);
    for (int write = 1; write < 500; write++) {
      runs.written(id(2 * write));
      assertThat(runs.bytes()).isLessThanOrEqualTo(TombstoneRanges.MAX_BYTES);
    }

    assertThat(isKnown(998, 999)).isFalse();
    assertThat(isKnown(999, 1_000)).isTrue();
  }

  @Test
  void aScanBesideTooManyWritesRemembersNothing() {
    try (TombstoneRanges.Watch watch = runs.watch(IdRange.all())) {
      for (int write = 0; write < 500; write++) {
        runs.written(id(write));
        assertThat(runs.bytes()).isLessThanOrEqualTo(TombstoneRanges.MAX_BYTES);
      }
      runs.remember(watch, id(1_000), id(2_000), AT);
    }

    assertThat(isKnown(1_000, 2_000)).isFalse();
    assertThat(runs.bytes()).isZero();
  }

  @Test
  void doesNotCountMergedOrForgottenRuns() {
    for (int run = 0; run < 10; run++) {
      remember(10 * run, 10 * run + 5);
    }

    remember(0, 100);

    assertThat(runs.bytes()).isEqualTo(id(0).length() + id(100).length());
    assertThat(isKnown(0, 100)).isTrue();
  }
}
