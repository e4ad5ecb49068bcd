package io.github.stablecut.tools;

/** Receives the progress of a tool. Called by one thread. */
@FunctionalInterface
public interface ToolProgress {
  /** Ignores the progress. */
  ToolProgress NONE = (stage, done, total) -> {};

  /**
   * Reports the progress of a stage.
   *
   * @param stage the name of the stage
   * @param done the bytes processed so far
   * @param total the bytes in total; at least {@code done}
   */
  void update(String stage, long done, long total);
}
