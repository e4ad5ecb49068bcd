package io.github.stablecut.internal.paging;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;

/**
 * The ids of pages in runs: 0 0, the length of the object's id in 4 bytes, the object's id, and the
 * page's number in 4 bytes. They are below the ids of all objects, which begin with 0 1 or with
 * another first byte that is not followed by 0.
 */
public final class PageIds {
  /** The ids of objects, without those of pages. */
  public static final IdRange OBJECTS = IdRange.from(Bytes.wrap(new byte[] {0, 1}));

  /** The ids of pages. */
  public static final IdRange ALL = IdRange.all().below(OBJECTS.from());

  /** The order of objects that matches the order of their pages' ids. */
  public static final Comparator<Bytes> ORDER =
      Comparator.comparingInt(Bytes::length).thenComparing(Comparator.naturalOrder());

  private static final int HEAD_BYTES = 2 + Integer.BYTES;

  private PageIds() {}

  /** The id of a page. */
  public static Bytes of(Bytes object, int page) {
    ByteBuffer id = ByteBuffer.allocate(HEAD_BYTES + object.length() + Integer.BYTES);
    id.putShort((short) 0).putInt(object.length()).put(object.toArray()).putInt(page);
    return Bytes.wrap(id.array());
  }

  /** The smallest id above those of all pages of an object. */
  public static Bytes endOf(Bytes object) {
    byte[] last = of(object, -1).toArray();
    return Bytes.wrap(last).successor();
  }

  /** The number of a page. */
  static int numberOf(Bytes page) {
    return ByteBuffer.wrap(page.toArray()).getInt(page.length() - Integer.BYTES);
  }

  /** The object that a page belongs to. */
  public static Bytes objectOf(Bytes page) {
    return Bytes.wrap(
        Arrays.copyOfRange(page.toArray(), HEAD_BYTES, page.length() - Integer.BYTES));
  }
}
