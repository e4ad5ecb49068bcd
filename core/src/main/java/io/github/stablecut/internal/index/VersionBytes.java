package io.github.stablecut.internal.index;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What a version takes, about. Immutable.
 *
 * @param bytes the size of the encoded state; if it is in pages, of what is not
 * @param pageBytes what the pages of a checkpoint take that the state reads when they are needed; 0
 *     if it is in one piece
 * @param copiedBytes what those pages of the checkpoint take of which the state holds changed
 *     copies: what is on the way to each change
 */
public record VersionBytes(int bytes, long pageBytes, long copiedBytes) {
  private static final int MOST_SHARED = 512;

  private static final List<VersionBytes> SHARED =
      IntStream.rangeClosed(0, MOST_SHARED)
          .mapToObj(bytes -> new VersionBytes(bytes, 0, 0))
          .toList();

  /** Of a state in one piece; small ones, as most are, share one object for each size. */
  public static VersionBytes of(int bytes) {
    return bytes <= MOST_SHARED ? SHARED.get(bytes) : new VersionBytes(bytes, 0, 0);
  }

  /** The same with another size of the encoded state. */
  public VersionBytes with(int otherBytes) {
    return pageBytes == 0 && copiedBytes == 0
        ? of(otherBytes)
        : new VersionBytes(otherBytes, pageBytes, copiedBytes);
  }

  /** The same with changed copies of more pages. */
  VersionBytes copying(long moreBytes) {
    return new VersionBytes(bytes, pageBytes, copiedBytes + moreBytes);
  }
}
