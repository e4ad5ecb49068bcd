package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Transaction;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.truncation.Maintenance;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.Timeouts;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.replication.Replication;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data centre whose checkpoints don't keep up with the others' commits. */
final class BackpressureOfDataCentresTest {
  private static final int TRANSACTIONS = 30;
  private static final int UPDATES = 1_000;
  private static final CounterKey LIKES = Key.counter("posts", "likes");

  @TempDir Path directory;

  private EmbeddedStore open(String name, StoreOptions options, Replication replication) {
    return (EmbeddedStore)
        Stablecut.open(directory.resolve(name), options.withReplication(replication));
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static boolean isFull(EmbeddedStore store) {
    return store.status().health().warnings().stream().anyMatch(w -> w.contains("no checkpoint"));
  }

  private static void commit(EmbeddedStore store, int number) {
    store.run(
        transaction -> {
          for (int i = 0; i < UPDATES; i++) {
            transaction.update(Key.counter("posts", number + "/" + i).increment());
          }
        });
  }

  @Test
  @SuppressWarnings("try") // nothing is done with the pause
  void acceptsCommitsUntilFullAndResumesWithTheRest() {
    StoreOptions withLittleRoom =
        StoreOptions.defaults()
            .withCheckpoints(CheckpointPolicy.defaults().withEffects(2_500))
            .withTimeouts(Timeouts.defaults().withCommit(Duration.ofMillis(100)));
    try (EmbeddedStore here =
            open("here", StoreOptions.defaults(), Replication.tcp("127.0.0.1:0"));
        EmbeddedStore there =
            open(
                "there",
                withLittleRoom,
                Replication.tcp("127.0.0.1:0")
                    .join("127.0.0.1:" + here.dataCentres().port().orElseThrow()))) {
      Partition taking = there.partitions().local().get(0);
      Partition giving = here.partitions().local().get(0);
      try (Maintenance.Pause pause = taking.maintenance().pause()) {
        for (int i = 0; i < TRANSACTIONS; i++) {
          commit(here, i);
        }
        await(() -> isFull(there));

        // It still sends its time: nothing blocks the sending thread.
        for (int heartbeat = 0; heartbeat < 3; heartbeat++) {
          long before = giving.streams().reached().get(1);
          await(() -> giving.streams().reached().get(1) > before);
        }
        await(() -> taking.streams().last(0) > 0 && !there.status().health().warnings().isEmpty());
        assertThat(there.status().health().toString()).doesNotContain("thread");
      }

      CausalToken last = here.update(LIKES.increment(7));
      await(() -> taking.streams().reached().get(0) >= here.local().timeIn(last.vector()));
      try (Transaction reading = there.begin(TransactionOptions.defaults().after(last))) {
        assertThat(reading.read(LIKES)).isEqualTo(7);
        for (int i = 0; i < TRANSACTIONS; i++) {
          assertThat(reading.read(Key.counter("posts", i + "/" + (UPDATES - 1)))).isEqualTo(1);
        }
      }
      assertThat(there.status().health().toString()).doesNotContain("thread");
    }
  }
}
