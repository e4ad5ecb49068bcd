package io.github.stablecut.crdt.codec;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Encoder;

/**
 * Adds up what the effect of an operation takes of the heap, about: its objects, its encoded bytes,
 * and the record that they are copied to. Confined to one thread.
 */
final class WeighingEncoder implements Encoder {
  /** What an element takes beside its bytes: an estimate for sets, whose effects have its dots. */
  private static final int ELEMENT_BYTES = 160;

  /** An encoded effect, the record, and the buffer in which it was encoded. */
  private static final int COPIES = 3;

  private long weight;

  /** What was added up, in bytes. */
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
    // It has weighed what it is.
  }
}
