package io.github.stablecut.examples.datacentre;

/** The state of the cable between two places. */
public enum Cable {
  /** Delivers everything immediately. */
  FAST,
  /** Delivers everything with a delay of seconds. */
  SLOW,
  /** Delivers nothing. */
  CUT
}
