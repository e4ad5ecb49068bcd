package io.github.stablecut.option;

/** The replica of a partition that provides a snapshot and serves its reads. */
public enum ReadPreference {
  /** The leader: the snapshot is of now. */
  LEADER,

  /**
   * The replica on the contacted node, if it has one, even if another node leads. The snapshot is
   * slightly stale, but stays readable while leaders are unreachable.
   */
  NEAREST
}
