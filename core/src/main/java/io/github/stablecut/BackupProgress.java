package io.github.stablecut;

/** Is told how far a backup or its restoration has come. Called by one thread. */
@FunctionalInterface
public interface BackupProgress {
  /** Doesn't want to know. */
  BackupProgress NONE = (done, total) -> {};

  /**
   * So much is done.
   *
   * @param done bytes
   * @param total bytes; never below {@code done}
   */
  void update(long done, long total);
}
