package io.github.stablecut.crdt.codec;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Encoder;

/**
 * Estimates the heap that the effect of an operation takes: its objects, its encoded bytes, and the
 * record that contains a copy of them. Confined to one thread.
 */
final class WeighingEncoder implements Encoder {
  /** The estimated overhead of an element in bytes, for sets, whose effects contain its dots. */
  private static final int ELEMENT_BYTES = 160;

  /** The copies of the bytes: the encoded effect, the record, and the encoding buffer. */
  private static final int COPIES = 3;

  private long weight;

  /** The estimate in bytes. */
  long weight() {
    return weight;
  }

  @Override
  public void writeByte(int value) {
    weight += COPIES;
  }

  @Override
  public void writeUnsigned(long value) {
    weight += COPIES;
  }

  @Override
  public void writeSigned(long value) {
    weight += COPIES;
  }

  @Override
  public void writeBytes(Bytes bytes) {
    weight += ELEMENT_BYTES + (long) COPIES * bytes.length();
  }

  @Override
  public void writeEncoded(Bytes encoded) {
    weight += (long) COPIES * encoded.length();
  }

  @Override
  public void enter() {
    weight += COPIES;
  }

  @Override
  public void exit() {
    // enter has counted it.
  }
}
