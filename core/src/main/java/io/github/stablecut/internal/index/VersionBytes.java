package io.github.stablecut.internal.index;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The approximate memory that a version takes. Immutable.
 *
 * @param bytes the size of the encoded state, without the parts in pages
 * @param pageBytes the size of the checkpoint's pages that the state reads on demand; 0 if it is
 *     not in pages
 * @param copiedBytes the size of the pages of which the state holds changed copies: those on the
 *     path to each change
 */
public record VersionBytes(int bytes, long pageBytes, long copiedBytes) {
  private static final int MAX_SHARED = 512;

  private static final List<VersionBytes> SHARED =
      IntStream.rangeClosed(0, MAX_SHARED)
          .mapToObj(bytes -> new VersionBytes(bytes, 0, 0))
          .toList();

  /** Creates the sizes of a state that is not in pages. Small states share one object per size. */
  public static VersionBytes of(int bytes) {
    return bytes <= MAX_SHARED ? SHARED.get(bytes) : new VersionBytes(bytes, 0, 0);
  }

  /** Returns the same with another size of the encoded state. */
  public VersionBytes with(int otherBytes) {
    return pageBytes == 0 && copiedBytes == 0
        ? of(otherBytes)
        : new VersionBytes(otherBytes, pageBytes, copiedBytes);
  }

  /** Returns the same with changed copies of more pages. */
  VersionBytes copying(long moreBytes) {
    return new VersionBytes(bytes, pageBytes, copiedBytes + moreBytes);
  }
}
