package io.github.stablecut.internal.transaction;

import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.internal.recovery.SyncedFile;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.option.StoreOptions;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * The in-memory disks of a store with several partitions, which lose together what real disks would
 * lose when the machine stops.
 *
 * @param files those of the store itself
 * @param openings how often the store was opened
 * @param boots how often the machine has started
 */
record LossyDisks(
    List<LossyDisk> partitions, LossyDirectory files, AtomicLong openings, int boots) {
  static LossyDisks empty(int partitions) {
    return new LossyDisks(
        IntStream.range(0, partitions).mapToObj(number -> LossyDisk.empty()).toList(),
        new LossyDirectory(),
        new AtomicLong(),
        1);
  }

  EmbeddedStore open(StoreOptions options) {
    return (EmbeddedStore)
        StoreOpening.openOn(
            openings.incrementAndGet(),
            partitions.stream()
                .map(disk -> new PartitionFiles(disk.journal(), disk.checkpoints()))
                .toList(),
            synced(),
            options);
  }

  SyncedFile synced() {
    return SyncedFile.in(files, "boot " + boots);
  }

  /** Permits no more writes. */
  void switchOff() {
    for (LossyDisk disk : partitions) {
      disk.journal().switchOff();
      disk.checkpoints().cutAfter(0);
    }
    files.cutAfter(0);
  }

  /** The disks as the next process finds them. Without concurrent writes. */
  LossyDisks afterKill() {
    return new LossyDisks(
        partitions.stream().map(LossyDisk::afterKill).toList(), files.afterKill(), openings, boots);
  }

  /**
   * The disks as the next boot finds them: each unsynced page and name exists with a probability.
   * Without concurrent writes.
   */
  LossyDisks afterPowerCut(Random random, double survivors) {
    return new LossyDisks(
        partitions.stream().map(disk -> disk.afterPowerCut(random, survivors)).toList(),
        files.afterPowerCut(item -> random.nextDouble() < survivors),
        openings,
        boots + 1);
  }
}
