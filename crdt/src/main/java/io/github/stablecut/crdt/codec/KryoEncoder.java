package io.github.stablecut.crdt.codec;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.PageWriter;
import java.util.Optional;

/** Writes the canonical encoding to a Kryo buffer. Confined to one thread. */
final class KryoEncoder implements Encoder {
  private final BytesOutput out;
  private final Optional<PageWriter> pages;
  private int depth;

  KryoEncoder(BytesOutput out) {
    this(out, Optional.empty());
  }

  /**
   * @param pages stores the pages of a large state; empty to write all of it to the buffer
   */
  KryoEncoder(BytesOutput out, Optional<PageWriter> pages) {
    this.out = out;
    this.pages = pages;
  }

  @Override
  public Optional<PageWriter> pages() {
    return pages;
  }

  @Override
  public void writeByte(int value) {
    out.writeByte(value);
  }

  @Override
  public void writeUnsigned(long value) {
    out.writeVarLong(value, true);
  }

  @Override
  public void writeSigned(long value) {
    out.writeVarLong(value, false);
  }

  @Override
  public void writeBytes(Bytes bytes) {
    out.writeVarInt(bytes.length(), true);
    out.writeBytes(bytes);
  }

  @Override
  public void writeEncoded(Bytes encoded) {
    out.writeBytes(encoded);
  }

  @Override
  public void enter() {
    if (++depth > MAX_DEPTH) {
      throw new OperationRefusedException(TOO_DEEP);
    }
  }

  @Override
  public void exit() {
    depth--;
  }
}
