package io.github.stablecut.examples.datacentre;

/** The state of the cable between two places. */
public enum Cable {
  /** It delivers everything at once. */
  FAST,
  /** It delivers everything seconds later. */
  SLOW,
  /** It delivers nothing. */
  CUT
}
