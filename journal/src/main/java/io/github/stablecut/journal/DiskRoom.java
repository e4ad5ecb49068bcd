package io.github.stablecut.journal;

/** How much room a log has on its disk. */
public enum DiskRoom {
  /** More than the reserve. */
  ENOUGH,

  /** Less than the reserve, which is for what is under way: nothing more is to be begun. */
  LITTLE,

  /** Less than half of the reserve: nothing more is to be written. */
  NONE
}
