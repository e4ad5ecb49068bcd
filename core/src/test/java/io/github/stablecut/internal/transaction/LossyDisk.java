package io.github.stablecut.internal.transaction;

import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.option.StoreOptions;
import java.util.Random;

/**
 * The in-memory disk of a store: journal and checkpoints, which lose together what a real disk
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

  /** Everything that was written still exists. */
  LossyDisk afterKill() {
    return new LossyDisk(journal.afterKill(), checkpoints.afterKill());
  }

  /** Each unsynced page and name exists with a probability. */
  LossyDisk afterPowerCut(Random random, double survivors) {
    return new LossyDisk(
        journal.afterPowerCut((segment, page) -> random.nextDouble() < survivors),
        checkpoints.afterPowerCut(item -> random.nextDouble() < survivors));
  }
}
