package io.github.stablecut.crdt.codec;

import io.github.stablecut.crdt.Bytes;
import java.io.OutputStream;

/** Counts bytes instead of storing them. Confined to one thread. */
final class CountingOutput extends BytesOutput {
  private long counted;

  CountingOutput() {
    setOutputStream(OutputStream.nullOutputStream());
  }

  @Override
  void writeBytes(Bytes bytes) {
    counted += bytes.length();
  }

  /** The number of bytes written. */
  long count() {
    return counted + total();
  }
}
