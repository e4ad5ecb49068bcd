package io.github.stablecut.internal.paging;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The root of a state in pages, which is the object's entry.
 *
 * <pre>
 *   version  1 byte: 2, where a state in one piece has 1
 *   bytes    8 bytes: the size of all pages
 *   next     4 bytes: the number of the next new page
 *   count    4 bytes: the number of pages that the state refers to
 *   pages    4 bytes each
 *   state    the rest
 * </pre>
 *
 * @param bytes the size of all pages
 * @param next the number of the next new page
 * @param references the pages that the state refers to
 * @param state the bytes of the state without its pages
 */
record PagedRoot(long bytes, int next, List<Integer> references, Bytes state) {
  private static final byte VERSION = 2;
  private static final int HEAD_BYTES = 1 + Long.BYTES + Integer.BYTES;

  /** Whether the bytes of an entry are those of a state in pages. */
  static boolean isOne(byte[] entry) {
    return entry.length > 0 && entry[0] == VERSION;
  }

  byte[] encode() {
    ByteBuffer out =
        ByteBuffer.allocate(HEAD_BYTES + PageReferences.bytes(references) + state.length());
    out.put(VERSION).putLong(bytes).putInt(next);
    PageReferences.write(references, out);
    return out.put(state.toArray()).array();
  }

  static PagedRoot decode(byte[] entry) {
    try {
      ByteBuffer in = ByteBuffer.wrap(entry);
      byte version = in.get();
      long bytes = in.getLong();
      int next = in.getInt();
      if (version != VERSION || bytes < 0 || next < 1) {
        throw new FormatException(
            "the root of a state in pages has version %d, %d bytes in pages, and %d as the next page"
                .formatted(version, bytes, next));
      }
      List<Integer> references = PageReferences.read(in);
      byte[] state = new byte[in.remaining()];
      in.get(state);
      return new PagedRoot(bytes, next, references, Bytes.wrap(state));
    } catch (BufferUnderflowException e) {
      throw new FormatException("the root of a state in pages ends too early", e);
    }
  }
}
