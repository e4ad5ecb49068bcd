package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.io.Output;
import io.github.stablecut.crdt.Bytes;

/**
 * A growing Kryo buffer that takes {@link Bytes} without a copy in between, and that can be used
 * again. Confined to one thread.
 */
class BytesOutput extends Output {
  private static final int FIRST_BYTES = 256;

  /** A buffer that grew larger is not kept. */
  private static final int MAX_KEPT_BYTES = 8 << 10;

  BytesOutput() {
    super(FIRST_BYTES, Limits.MAX_BYTES);
  }

  void writeBytes(Bytes bytes) {
    boolean unused = require(bytes.length());
    bytes.copyInto(buffer, position);
    position += bytes.length();
  }

  boolean isWorthKeeping() {
    return buffer.length <= MAX_KEPT_BYTES;
  }
}
