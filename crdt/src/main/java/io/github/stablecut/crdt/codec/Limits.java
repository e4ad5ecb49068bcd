package io.github.stablecut.crdt.codec;

/** The maximum sizes that codecs write and read. */
public final class Limits {
  /** The maximum size of an encoded state, effect or value in bytes: 256 MiB. */
  public static final int MAX_BYTES = 256 << 20;

  private Limits() {}
}
