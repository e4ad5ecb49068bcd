package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;

/** Serves a partition without a node. */
final class TestOwner {
  private TestOwner() {}

  /** Opens partition 0 of a new store and starts it. The caller closes it. */
  static Partition partition(
      Path directory, StoreOptions options, ActiveSnapshots active, long epoch) throws IOException {
    PartitionFiles files =
        new PartitionFiles(
            JournalDirectory.open(directory.resolve("journal"), JournalOptions.named("journal")),
            DiskDirectory.open(directory.resolve("checkpoint")));
    Partition partition =
        files.open(
            options,
            LocalDataCentre.FIRST,
            0,
            PartitionContext.builder(
                    epoch, EmbeddedStore.clock(options), active, (number, message) -> {})
                .build());
    partition.start();
    return partition;
  }

  /**
   * Returns a server that serves no partition yet and executes requests on the delivering thread.
   */
  static RequestServer server(StoreOptions options, ActiveSnapshots active) {
    return new RequestServer(
        active,
        Runnable::run,
        Runnable::run,
        ObjectCalls.of(options, Runnable::run),
        snapshot -> {});
  }
}
