package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Which objects are asked for while nobody waits. */
class NonBlockingReadsTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final NonBlockingReads quick = new NonBlockingReads(now::get);

  private static Bytes id(int number) {
    return Bytes.utf8("object" + number);
  }

  /** How many of the objects up to a number may be asked for. */
  private long asked(int from, int to) {
    long asked = 0;
    for (int i = from; i < to; i++) {
      asked += quick.mayAsk(id(i)) ? 1 : 0;
    }
    return asked;
  }

  @Test
  void anObjectIsAskedForUntilItIsLargeAndAgainOnceItIsSmall() {
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
  void ofManyLargeObjectsMostAreRemembered() {
    int several = NonBlockingReads.PLACES / 10;
    for (int i = 0; i < several; i++) {
      quick.found(id(i), true);
    }
    assertThat(asked(0, several)).isLessThan(several / 10);

    for (int i = several; i < NonBlockingReads.PLACES; i++) {
      quick.found(id(i), true);
    }
    assertThat(asked(0, NonBlockingReads.PLACES)).isLessThan(NonBlockingReads.PLACES / 2);
    assertThat(asked(NonBlockingReads.PLACES, 2 * NonBlockingReads.PLACES))
        .isEqualTo(NonBlockingReads.PLACES);
  }

  @Test
  void whileTheOwnerIsSlowNothingIsAskedFor() {
    quick.unanswered();

    assertThat(quick.mayAsk(id(1))).isFalse();
    now.addAndGet(NonBlockingReads.SLOW_NANOS - 1);
    assertThat(quick.mayAsk(id(1))).isFalse();
    now.addAndGet(1);
    assertThat(quick.mayAsk(id(1))).isTrue();
  }
}
