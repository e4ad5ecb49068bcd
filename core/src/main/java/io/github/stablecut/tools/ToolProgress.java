package io.github.stablecut.tools;

/** Is told how far a tool has come. Called by one thread. */
@FunctionalInterface
public interface ToolProgress {
  /** Doesn't want to know. */
  ToolProgress NONE = (stage, done, total) -> {};

  /**
   * So much of a stage is done.
   *
   * @param stage what is being done
   * @param done bytes
   * @param total bytes; at least {@code done}
   */
  void update(String stage, long done, long total);
}
