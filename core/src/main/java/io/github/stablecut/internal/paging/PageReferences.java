package io.github.stablecut.internal.paging;

import io.github.stablecut.crdt.FormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The page numbers that a page refers to, at its beginning: their count in 4 bytes, and 4 bytes for
 * each. So obsolete pages can be found without decoding contents.
 */
final class PageReferences {
  private PageReferences() {}

  static int bytes(List<Integer> pages) {
    return Integer.BYTES * (1 + pages.size());
  }

  static void write(List<Integer> pages, ByteBuffer out) {
    out.putInt(pages.size());
    pages.forEach(out::putInt);
  }

  static List<Integer> read(ByteBuffer in) {
    int count = in.getInt();
    if (count < 0 || count > in.remaining() / Integer.BYTES) {
      throw new FormatException(count + " references to pages don't fit");
    }
    List<Integer> pages = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      pages.add(in.getInt());
    }
    return pages;
  }

  /** The bytes of a page. */
  static byte[] page(List<Integer> references, byte[] content) {
    ByteBuffer out = ByteBuffer.allocate(bytes(references) + content.length);
    write(references, out);
    return out.put(content).array();
  }

  /** The references of a page. */
  static List<Integer> ofPage(byte[] page) {
    try {
      return read(ByteBuffer.wrap(page));
    } catch (BufferUnderflowException e) {
      throw new FormatException("a page ends before its references", e);
    }
  }

  /** The content of a page. */
  static byte[] contentOf(byte[] page) {
    return Arrays.copyOfRange(page, bytes(ofPage(page)), page.length);
  }
}
