package io.github.stablecut;

/** Receives the progress of a backup or of a restore. Called by one thread. */
@FunctionalInterface
public interface BackupProgress {
  /** Ignores the progress. */
  BackupProgress NONE = (done, total) -> {};

  /**
   * Reports progress.
   *
   * @param done the bytes processed so far
   * @param total the bytes in total; never below {@code done}
   */
  void update(long done, long total);
}
