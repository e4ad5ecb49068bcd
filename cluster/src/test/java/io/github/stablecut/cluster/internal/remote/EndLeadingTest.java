package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A leader stops leading because another replica takes over. */
class EndLeadingTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults();

  @TempDir private Path path;

  private final CountDownLatch begins = new CountDownLatch(1);
  private final CountDownLatch mayContinue = new CountDownLatch(1);

  /**
   * A directory in which the writer of a checkpoint signals its start and waits for permission to
   * continue.
   */
  private Directory slow() throws IOException {
    Directory disk = DiskDirectory.open(path.resolve("checkpoint"));
    return (Directory)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Directory.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("create") && arguments[0].toString().startsWith("run-")) {
                begins.countDown();
                await(mayContinue);
              }
              try {
                return method.invoke(disk, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Partition partition() throws IOException {
    PartitionFiles files =
        new PartitionFiles(
            JournalDirectory.open(path.resolve("journal"), JournalOptions.named("journal")),
            slow());
    return files.open(
        OPTIONS,
        LocalDataCentre.FIRST,
        0,
        PartitionContext.builder(
                1,
                EmbeddedStore.clock(OPTIONS),
                new ActiveSnapshots(System::nanoTime, OPTIONS.maxTransactionAge().toNanos()),
                (number, message) -> {})
            .build());
  }

  @Test
  void abandonsACheckpointInProgress() throws Exception {
    try (Partition partition = partition()) {
      partition.start();
      CommitRequest request =
          CommitRequest.of(
              TestParts.part(Key.counter("b", "k").increment(1), VectorClock.ZERO),
              TransactionMetadata.none());
      partition.commit(request);
      CompletableFuture<Void> checkpoint =
          CompletableFuture.runAsync(
              partition::checkpoint, task -> new Thread(task, "asks").start());
      begins.await();
      Thread ends =
          new Thread(() -> new OpenPartition(partition, 1).endLeading(Duration.ZERO), "ends");
      ends.start();
      Eventually.holds("it waits", () -> ends.getState() == Thread.State.WAITING);

      mayContinue.countDown();

      ends.join();
      assertThatThrownBy(checkpoint::join).hasCauseInstanceOf(StablecutException.class);
      assertThat(partition.maintenance().problems()).hasSize(1);
    } finally {
      mayContinue.countDown();
    }
  }
}
