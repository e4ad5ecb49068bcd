package io.github.stablecut.internal.partition.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.thread.CompletionExecutor;
import io.github.stablecut.internal.thread.FaultLog;
import java.lang.ref.WeakReference;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

final class AwaitedRecordTest {
  /** Enough allocations to free everything that can be freed. */
  private static final int COLLECTIONS = 20;

  /** The executor keeps the last stage: a record of many MiB would stay until the next commit. */
  @Test
  void aCompletedRecordCanBeFreed() {
    try (CompletionExecutor executor = new CompletionExecutor(Runnable::run, new FaultLog())) {
      executor.start();
      WeakReference<AwaitedRecord> record = completed(executor);

      for (int i = 0; i < COLLECTIONS && record.get() != null; i++) {
        System.gc();
      }
      assertThat(record.get()).isNull();
    }
  }

  private static WeakReference<AwaitedRecord> completed(CompletionExecutor executor) {
    SavedRecord record = new SavedRecord((byte) 1, new byte[1]);
    CompletionStage<Void> stage = record.completeOn(executor);
    record.succeed();
    stage.toCompletableFuture().join();
    return new WeakReference<>(record);
  }
}
