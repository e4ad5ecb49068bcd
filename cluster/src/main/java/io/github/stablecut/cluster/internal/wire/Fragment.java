package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.crdt.Bytes;

/**
 * A fragment of a message that may be too large for one frame. Frames stay small so that large
 * messages do not delay small ones. Immutable.
 *
 * @param offset where the fragment begins in the message
 */
public record Fragment(int offset, Bytes bytes) {
  /** The largest fragment; Akka's frames are slightly larger. */
  public static final int MAX_BYTES = 128 << 10;

  /** The largest message. */
  public static final int MAX_MESSAGE_BYTES = 512 << 20;

  /** The fragment of a message that begins at an offset. */
  public static Fragment of(Bytes bytes, int offset) {
    return new Fragment(offset, bytes.slice(offset, Math.min(bytes.length(), offset + MAX_BYTES)));
  }
}
