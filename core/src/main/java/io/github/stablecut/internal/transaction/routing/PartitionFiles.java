package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.recovery.DirectoryLock;
import io.github.stablecut.internal.recovery.FencedDirectory;
import io.github.stablecut.internal.recovery.FencedSegments;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.SegmentLayout;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The files of a partition.
 *
 * @param journal closed with the partition that is opened on it
 */
public record PartitionFiles(SegmentStore journal, Directory checkpoints) {
  /**
   * Files in existing directories.
   *
   * @param lock the lock of the store's directory; once it is lost, nothing is acknowledged or
   *     deleted
   */
  public static PartitionFiles in(
      Path journal, Path checkpoints, StoreOptions options, DirectoryLock lock) throws IOException {
    SegmentStore segments =
        JournalDirectory.open(journal, options.limits().segmentBytes(), SegmentLayout.ofThisJvm());
    return new PartitionFiles(
        new FencedSegments(segments, lock),
        new FencedDirectory(DiskDirectory.open(checkpoints), lock));
  }

  /** Returns the settings of a partition with replicas. */
  public static PartitionOptions options(StoreOptions options, LocalDataCentre local, int number) {
    return PartitionSettings.of(options, local, number);
  }

  /**
   * Opens the partition and recovers it from its journal. The caller then starts it.
   *
   * @param options the options of the store
   * @param local the data centre that the store is in
   */
  public Partition open(
      StoreOptions options, LocalDataCentre local, int number, PartitionContext context) {
    return open(options, local, number, context, JournalOptions.WHOLE);
  }

  /**
   * Like {@link #open(StoreOptions, LocalDataCentre, int, PartitionContext)}.
   *
   * @param end where the journal is cut off first, as {@link JournalOptions#end}
   */
  Partition open(
      StoreOptions options, LocalDataCentre local, int number, PartitionContext context, long end) {
    return Partition.open(
        PartitionSettings.of(options, local, number, end), context, journal, checkpoints);
  }
}
