package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A partition's clock continues above all times that it has issued, and stays near the machine's.
 */
class ClockOverOpeningsTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

  @TempDir Path directory;

  private long epoch;

  private Partition open() throws IOException {
    StoreOptions options = StoreOptions.defaults().withClock(() -> NOW);
    Partition partition =
        new PartitionFiles(
                JournalDirectory.open(
                    directory.resolve("journal"), JournalOptions.named("journal")),
                DiskDirectory.open(directory.resolve("checkpoint")))
            .open(
                options,
                LocalDataCentre.FIRST,
                0,
                PartitionContext.builder(
                        ++epoch,
                        PartitionSettings.clock(options),
                        EmbeddedStore.activeSnapshots(options),
                        (number, message) -> {})
                    .build());
    partition.start();
    return partition;
  }

  /** Reads at the present of the partition, which thereby issues that time. */
  @CanIgnoreReturnValue
  private static VectorClock issue(Partition partition) {
    VectorClock present = partition.now();
    assertThat(partition.versionAt(Bytes.utf8("k"), present)).isEmpty();
    return present;
  }

  @Test
  void openingsAndOrderlyEndsDoNotAdvanceTheClock() throws IOException {
    long issued = 0;
    for (int i = 0; i < 20; i++) {
      Partition partition = open();
      assertThat(partition.now().max()).isGreaterThanOrEqualTo(issued);
      issued = issue(partition).max();
      partition.endClock();
      partition.close();
    }

    assertThat(Timestamp.epochMillis(issued)).isLessThan(NOW.plusSeconds(1).toEpochMilli());
  }

  @Test
  void timesIssuedAfterTheEndRecordAreCoveredToo() throws IOException {
    Partition partition = open();
    issue(partition);
    partition.endClock();
    VectorClock late = VectorClock.of(issue(partition).max() + 5_000_000);
    assertThat(partition.versionAt(Bytes.utf8("k"), late)).isEmpty();
    partition.close();

    partition = open();
    assertThat(partition.now().max()).isGreaterThanOrEqualTo(late.max());
    partition.close();
  }

  @Test
  void anEndRecordOfAnEarlierOpeningDoesNotCount() throws IOException {
    Partition partition = open();
    issue(partition);
    partition.endClock();
    partition.close();
    partition = open();
    VectorClock late = VectorClock.of(partition.now().max() + 5_000_000);
    assertThat(partition.versionAt(Bytes.utf8("k"), late)).isEmpty();
    partition.close();

    partition = open();
    assertThat(partition.now().max()).isGreaterThanOrEqualTo(late.max());
    partition.close();
  }
}
