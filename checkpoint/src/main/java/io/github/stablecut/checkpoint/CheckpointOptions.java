package io.github.stablecut.checkpoint;

import java.security.SecureRandom;
import java.util.function.LongSupplier;

/**
 * The settings of a checkpoint store. Immutable.
 *
 * @param forceBytes a file being written is forced each time this many bytes were added, so that no
 *     force takes long and delays those of the journal
 * @param reserveBytes the disk space to keep free: a merge that would use it is dropped. A
 *     checkpoint may use two thirds of it, because it lets the journal drop segments ({@link
 *     #checkpointReserveBytes})
 * @param maxYoungRuns the number of runs besides the base above which some are merged
 * @param stepMillis the time between runs above the low watermark that are not merged, so that the
 *     watermark can advance to them; 0 if only the oldest one is left unmerged
 * @param mergeBytesPerSecond the write rate of merges
 * @param clock measures {@code mergeBytesPerSecond}
 * @param hashSeeds supplies the seed of a new store
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

  /** Checks the ranges. */
  public CheckpointOptions {
    if (forceBytes < 1
        || reserveBytes < 0
        || maxYoungRuns < 1
        || stepMillis < 0
        || mergeBytesPerSecond < 1) {
      throw new IllegalArgumentException(
          "options out of range: forceBytes %d, reserveBytes %d, maxYoungRuns %d, stepMillis %d, mergeBytesPerSecond %d"
              .formatted(forceBytes, reserveBytes, maxYoungRuns, stepMillis, mergeBytesPerSecond));
    }
  }

  /** The part of the reserve that checkpoints leave to the journal. */
  public long checkpointReserveBytes() {
    return reserveBytes / 3;
  }

  /** Returns these options with another reserve. */
  public CheckpointOptions withReserveBytes(long bytes) {
    return new CheckpointOptions(
        forceBytes, bytes, maxYoungRuns, stepMillis, mergeBytesPerSecond, clock, hashSeeds);
  }

  /** Returns these options with another force interval. */
  public CheckpointOptions withForceBytes(long bytes) {
    return new CheckpointOptions(
        bytes, reserveBytes, maxYoungRuns, stepMillis, mergeBytesPerSecond, clock, hashSeeds);
  }

  /** Returns these options with another number of runs besides the base. */
  public CheckpointOptions withMaxYoungRuns(int runs) {
    return new CheckpointOptions(
        forceBytes, reserveBytes, runs, stepMillis, mergeBytesPerSecond, clock, hashSeeds);
  }

  /** Returns these options with another step between unmerged runs. */
  public CheckpointOptions withStepMillis(long millis) {
    return new CheckpointOptions(
        forceBytes, reserveBytes, maxYoungRuns, millis, mergeBytesPerSecond, clock, hashSeeds);
  }

  /** Returns these options with another merge rate. */
  public CheckpointOptions withMergeRate(long bytesPerSecond, RateClock measuredBy) {
    return new CheckpointOptions(
        forceBytes, reserveBytes, maxYoungRuns, stepMillis, bytesPerSecond, measuredBy, hashSeeds);
  }

  /** Returns these options with another supplier of seeds. */
  public CheckpointOptions withHashSeeds(LongSupplier seeds) {
    return new CheckpointOptions(
        forceBytes, reserveBytes, maxYoungRuns, stepMillis, mergeBytesPerSecond, clock, seeds);
  }
}
