package io.github.stablecut;

/** The store at one point of its history: reads give the same for ever. Immutable. */
public interface Snapshot extends Reader {
  /** The point. */
  CausalToken token();
}
