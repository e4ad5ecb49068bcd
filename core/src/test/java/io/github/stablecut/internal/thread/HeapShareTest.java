package io.github.stablecut.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Queues fit the heap. */
class HeapShareTest {
  private static final long MIB = 1 << 20;

  @Test
  void aQueueTakesAThirtySecondOfASmallHeapAndAtMostItsLimitOfALargeOne() {
    assertThat(HeapShare.of(64 * MIB, 1, 256 * MIB)).isEqualTo(8 * MIB);
    assertThat(HeapShare.of(64 * MIB, 16, 256 * MIB)).isEqualTo(MIB / 2);
    assertThat(HeapShare.of(64 * MIB, 1, 8192 * MIB)).isEqualTo(64 * MIB);
    assertThat(HeapShare.of(64 * MIB))
        .isLessThanOrEqualTo(Runtime.getRuntime().maxMemory() / 32)
        .isPositive();
  }

  @Test
  void aStoreWideBufferTakesASixteenth() {
    long heap = Runtime.getRuntime().maxMemory();
    assertThat(HeapShare.ofLarge(Long.MAX_VALUE, 2)).isBetween(heap / 32 - 4, heap / 32);
    assertThat(HeapShare.ofLarge(MIB, 2)).isEqualTo(MIB);
  }
}
