package io.github.stablecut.internal.transaction;

import io.github.stablecut.Store;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.recovery.Lineage;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.journal.SegmentStore;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;

/** Opens stores whose partitions are all in this process. */
public final class StoreOpening {
  private StoreOpening() {}

  /** Opens or creates the store in a directory. */
  public static Store open(Path path, StoreOptions options) {
    StoreDirectory directory = StoreDirectory.open(path, options.partitions());
    try {
      directory.checkPartitions();
      List<PartitionFiles> files = new ArrayList<>();
      for (int number = 0; number < directory.identity().partitions(); number++) {
        PartitionFiles opened =
            PartitionFiles.in(
                directory.journal(number),
                directory.checkpoints(number),
                options,
                directory.lock());
        directory.checkJournal(number, opened.journal().segments().size());
        files.add(opened);
      }
      long epoch = directory.raiseEpoch();
      return open(
          directory.identity(),
          Set.of(),
          epoch,
          options,
          files,
          directory::complete,
          directory::close);
    } catch (IOException e) {
      directory.close();
      throw StoreDirectory.failed(path, "opened", e);
    } catch (RuntimeException | Error e) {
      directory.close();
      throw e;
    }
  }

  /** Opens a store with given files. */
  static EmbeddedStore open(SegmentStore journal, Directory checkpoints, StoreOptions options) {
    return open(1, List.of(new PartitionFiles(journal, checkpoints)), options);
  }

  /**
   * Opens a store with the given files of its partitions.
   *
   * @param epoch how often it was opened, including this time
   */
  static EmbeddedStore open(long epoch, List<PartitionFiles> files, StoreOptions options) {
    return open(new StoreIdentity(0, files.size()), epoch, files, options);
  }

  /** As {@link #open(long, List, StoreOptions)}, as one of several data centres. */
  static EmbeddedStore open(
      StoreIdentity identity, long epoch, List<PartitionFiles> files, StoreOptions options) {
    return open(identity, Set.of(), epoch, files, options);
  }

  /**
   * As {@link #open(long, List, StoreOptions)}, as one of several data centres.
   *
   * @param others the numbers of the other data centres
   */
  static EmbeddedStore open(
      StoreIdentity identity,
      Set<Integer> others,
      long epoch,
      List<PartitionFiles> files,
      StoreOptions options) {
    return open(identity, others, epoch, options, files, told -> Lineage.UNKNOWN, () -> {});
  }

  private static EmbeddedStore open(
      StoreIdentity identity,
      Set<Integer> others,
      long epoch,
      StoreOptions options,
      List<PartitionFiles> files,
      LongFunction<Lineage> complete,
      Runnable release) {
    List<Directory> checkpoints = files.stream().map(PartitionFiles::checkpoints).toList();
    HybridClock clock = Settings.clock(options);
    Partitions partitions = Partitions.open(identity, others, epoch, clock, options, files);
    try {
      Lineage lineage = complete.apply(clock.told());
      return new EmbeddedStore(
          new EmbeddedStore.Origin(identity, epoch, lineage, checkpoints, release),
          partitions,
          options);
    } catch (RuntimeException | Error e) {
      partitions.close();
      throw e;
    }
  }
}
