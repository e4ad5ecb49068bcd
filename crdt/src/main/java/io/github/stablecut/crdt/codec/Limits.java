package io.github.stablecut.crdt.codec;

/** The greatest sizes that codecs write and read. */
public final class Limits {
  /** States and effects nest at most this deep. */
  public static final int MAX_DEPTH = 64;

  /** One encoded state, effect or value has at most this many bytes: 256 MiB. */
  public static final int MAX_BYTES = 256 << 20;

  private Limits() {}
}
