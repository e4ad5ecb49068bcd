package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Decides which objects non-blocking reads may request. */
class NonBlockingReadsTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final NonBlockingReads quick = new NonBlockingReads(now::get);

  private static Bytes id(int number) {
    return Bytes.utf8("object" + number);
  }

  /** Counts the objects of a range of numbers that may be requested. */
  private long countRequested(int from, int to) {
    long countRequested = 0;
    for (int i = from; i < to; i++) {
      countRequested += quick.mayAsk(id(i)) ? 1 : 0;
    }
    return countRequested;
  }

  @Test
  void skipsAnObjectWhileItIsLarge() {
    assertThat(quick.mayAsk(id(1))).isTrue();
    quick.found(id(1), false);
    assertThat(quick.mayAsk(id(1))).isTrue();

    quick.found(id(1), true);
    assertThat(quick.mayAsk(id(1))).isFalse();
    assertThat(quick.mayAsk(id(2))).isTrue();

    quick.found(id(2), false);
    assertThat(quick.mayAsk(id(1))).isFalse();
    quick.found(id(1), false);
    assertThat(quick.mayAsk(id(1))).isTrue();
  }

  @Test
  void remembersMostOfManyLargeObjects() {
    int several = NonBlockingReads.PLACES / 10;
    for (int i = 0; i < several; i++) {
      quick.found(id(i), true);
    }
    assertThat(countRequested(0, several)).isLessThan(several / 10);

    for (int i = several; i < NonBlockingReads.PLACES; i++) {
      quick.found(id(i), true);
    }
    assertThat(countRequested(0, NonBlockingReads.PLACES)).isLessThan(NonBlockingReads.PLACES / 2);
    assertThat(countRequested(NonBlockingReads.PLACES, 2 * NonBlockingReads.PLACES))
        .isEqualTo(NonBlockingReads.PLACES);
  }

  @Test
  void requestsNothingWhileTheOwnerIsSlow() {
    quick.unanswered();

    assertThat(quick.mayAsk(id(1))).isFalse();
    now.addAndGet(NonBlockingReads.SLOW_NANOS - 1);
    assertThat(quick.mayAsk(id(1))).isFalse();
    now.addAndGet(1);
    assertThat(quick.mayAsk(id(1))).isTrue();
  }
}
