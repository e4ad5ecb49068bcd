package io.github.stablecut.examples.datacentre;

/** How the cable between two places is. */
public enum Cable {
  /** It carries everything at once. */
  FAST,
  /** It carries everything, seconds later. */
  SLOW,
  /** It carries nothing. */
  CUT
}
