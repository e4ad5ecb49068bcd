package io.github.stablecut.crdt.codec;

/** The greatest sizes that codecs write and read. */
public final class Limits {
  /** One encoded state, effect or value has at most this many bytes: 256 MiB. */
  public static final int MAX_BYTES = 256 << 20;

  private Limits() {}
}
