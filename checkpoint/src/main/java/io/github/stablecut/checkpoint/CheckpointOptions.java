package io.github.stablecut.checkpoint;

import java.security.SecureRandom;
import java.util.function.LongSupplier;

/**
 * How a checkpoint store is run. Immutable.
 *
 * @param forceBytes a file that is being written is forced each time that so much was added, so
 *     that no force is long and holds up those of the journal
 * @param reserveBytes so much of the disk is kept free: a merge that would take it is dropped. A
 *     checkpoint may take two thirds of it, as it lets segments of the journal go ({@link
 *     #checkpointReserveBytes})
 * @param maxYoungRuns the number of runs beside the base above which some are merged
 * @param stepMillis how far apart, by their times, runs above the low watermark are that are not
 *     merged, so that it has somewhere to go; 0 if only the oldest one is left alone
 * @param mergeBytesPerSecond how fast merges write
 * @param clock the time that {@code mergeBytesPerSecond} is measured in
 * @param hashSeeds gives the seed of a new store
 */
public record CheckpointOptions(
    long forceBytes,
    long reserveBytes,
    int maxYoungRuns,
    long stepMillis,
    long mergeBytesPerSecond,
    RateClock clock,
    LongSupplier hashSeeds) {
  /** 16 MiB, 64 MiB, 8 runs, no step, 64 MiB a second, the machine's clock, random seeds. */
  public static final CheckpointOptions DEFAULTS =
      new CheckpointOptions(
          16 << 20, 64 << 20, 8, 0, 64 << 20, RateClock.SYSTEM, new SecureRandom()::nextLong);

  /** Checks. */
  public CheckpointOptions {
    if (forceBytes < 1
        || reserveBytes < 0
        || maxYoungRuns < 1
        || stepMillis < 0
        || mergeBytesPerSecond < 1) {
      throw new IllegalArgumentException(
          "force %d, reserve %d, young runs %d, step %d, rate %d"
              .formatted(forceBytes, reserveBytes, maxYoungRuns, stepMillis, mergeBytesPerSecond));
    }
  }

  /** So much of the reserve is left to what the journal still has to write. */
  public long checkpointReserveBytes() {
    return reserveBytes / 3;
  }

  /** These options with another reserve. */
  public CheckpointOptions withReserveBytes(long bytes) {
    return new CheckpointOptions(
        forceBytes, bytes, maxYoungRuns, stepMillis, mergeBytesPerSecond, clock, hashSeeds);
  }

  /** These options with forces more or less often. */
  public CheckpointOptions withForceBytes(long bytes) {
    return new CheckpointOptions(
        bytes, reserveBytes, maxYoungRuns, stepMillis, mergeBytesPerSecond, clock, hashSeeds);
  }

  /** These options with another number of runs beside the base. */
  public CheckpointOptions withMaxYoungRuns(int runs) {
    return new CheckpointOptions(
        forceBytes, reserveBytes, runs, stepMillis, mergeBytesPerSecond, clock, hashSeeds);
  }

  /** These options with runs that are left alone so far apart. */
  public CheckpointOptions withStepMillis(long millis) {
    return new CheckpointOptions(
        forceBytes, reserveBytes, maxYoungRuns, millis, mergeBytesPerSecond, clock, hashSeeds);
  }

  /** These options with another speed of merges. */
  public CheckpointOptions withMergeRate(long bytesPerSecond, RateClock measuredBy) {
    return new CheckpointOptions(
        forceBytes, reserveBytes, maxYoungRuns, stepMillis, bytesPerSecond, measuredBy, hashSeeds);
  }

  /** These options with seeds from elsewhere. */
  public CheckpointOptions withHashSeeds(LongSupplier seeds) {
    return new CheckpointOptions(
        forceBytes, reserveBytes, maxYoungRuns, stepMillis, mergeBytesPerSecond, clock, seeds);
  }
}
