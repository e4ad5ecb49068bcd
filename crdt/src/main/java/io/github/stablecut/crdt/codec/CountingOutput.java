package io.github.stablecut.crdt.codec;

import io.github.stablecut.crdt.Bytes;
import java.io.OutputStream;

/** Counts bytes instead of keeping them. Confined to one thread. */
final class CountingOutput extends BytesOutput {
  private long counted;

  CountingOutput() {
    setOutputStream(OutputStream.nullOutputStream());
  }

  @Override
  void writeBytes(Bytes bytes) {
    counted += bytes.length();
  }

  /** How many bytes were written. */
  long count() {
    return counted + total();
  }
}
