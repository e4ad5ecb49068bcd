package io.github.stablecut.internal.transaction;

import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.option.StoreOptions;
import java.util.Random;

/**
 * The disk of a store, in memory: journal and checkpoints, which lose together what a real disk
 * would lose.
 */
record LossyDisk(LossySegments journal, LossyDirectory checkpoints) {
  /** Without a reserve, which no disk in memory has. */
  static final StoreOptions.Limits LIMITS = StoreOptions.Limits.defaults().withReserveBytes(0);

  static LossyDisk empty() {
    return new LossyDisk(new LossySegments(), new LossyDirectory());
  }

  EmbeddedStore open(StoreOptions options) {
    return StoreOpening.open(journal, checkpoints, options);
  }

  /** Everything that was written is still there. */
  LossyDisk afterKill() {
    return new LossyDisk(journal.afterKill(), checkpoints.afterKill());
  }

  /** Of what was not synced, each page and each name is there with a probability. */
  LossyDisk afterPowerCut(Random random, double survivors) {
    return new LossyDisk(
        journal.afterPowerCut((segment, page) -> random.nextDouble() < survivors),
        checkpoints.afterPowerCut(item -> random.nextDouble() < survivors));
  }
}
