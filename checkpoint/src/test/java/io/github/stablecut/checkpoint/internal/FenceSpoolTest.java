package io.github.stablecut.checkpoint.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.checkpoint.testing.LossyDirectory;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The memory for the fences of a run being written. */
class FenceSpoolTest {
  private static final int MEMORY = 10_000;

  private final LossyDirectory directory = new LossyDirectory();
  private final FenceSpool spool = new FenceSpool(directory, "run-1.fences", Runs.LIMITS, MEMORY);

  @Test
  void fewFencesNeedNoFile() throws IOException {
    for (int i = 0; i < 100; i++) {
      spool.add(fence(i, 80));
    }

    assertThat(spool.count()).isEqualTo(100);
    assertThat(directory.list()).isEmpty();
    spool.close();
  }

  @Test
  void memoryIsBoundedWhateverTheirNumberAndLength() throws IOException {
    for (int i = 0; i < 10_000; i++) {
      spool.add(fence(i, i % 500));
      assertThat(spool.bytesInMemory()).isLessThanOrEqualTo(MEMORY);
    }
    assertThat(directory.list()).containsExactly("run-1.fences");

    spool.close();

    assertThat(directory.list()).isEmpty();
  }

  @Test
  void aFenceAboveTheLimitIsHeldAlone() throws IOException {
    for (int i = 0; i < 10; i++) {
      spool.add(fence(i, 3 * MEMORY));
      assertThat(spool.bytesInMemory()).isLessThanOrEqualTo(3 * MEMORY + 100);
    }
    spool.close();
  }

  private static byte[] fence(int number, int length) {
    return RunFormat.fence(number, new byte[length], length);
  }
}
