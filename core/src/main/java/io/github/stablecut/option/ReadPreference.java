package io.github.stablecut.option;

/** Which copy of a partition a snapshot is taken from, and answered by. */
public enum ReadPreference {
  /** Those that lead: the snapshot is of now. */
  LEADER,

  /**
   * Those on the node that is asked, whoever leads, where it has some: the snapshot is of a moment
   * ago, and it can be read while leaders say nothing.
   */
  NEAREST
}
