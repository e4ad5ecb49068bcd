package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.sun.management.ThreadMXBean;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Heap allocation per commit. The count depends neither on the load nor on the machine. */
final class CommitAllocationTest {
  private static final int COMMITS = 200;

  /** Somewhat above what interpreted code allocates; compiled code allocates less. */
  private static final long MOST_BYTES = 2_000;

  @TempDir Path directory;

  @Test
  void commitOfOneUpdateAllocatesLittle() {
    try (Store store = Stablecut.open(directory.resolve("store"))) {
      Update update =
          Key.register("bucket", "key", Codec.bytes()).assign(Bytes.wrap(new byte[100]));
      allocatedBy(store, update);

      long bytes = allocatedBy(store, update);

      assertThat(bytes / COMMITS).isBetween(500L, MOST_BYTES);
    }
  }

  /** The caller writes and syncs alone, so its thread makes all allocations. */
  @CanIgnoreReturnValue
  private static long allocatedBy(Store store, Update update) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < COMMITS; i++) {
      store.update(update);
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }
}
