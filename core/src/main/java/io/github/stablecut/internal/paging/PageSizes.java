package io.github.stablecut.internal.paging;

/**
 * Which states are stored in pages. Immutable.
 *
 * @param fromBytes a state of at least this size is put in pages
 */
public record PageSizes(int fromBytes) {
  /** A state whose pages take less than one in so many bytes of that is put in one piece again. */
  private static final int HYSTERESIS = 4;

  /** A state of more in pages stays there, because it may be too large for one piece. */
  private static final int MAX_SMALL_BYTES = 32 << 20;

  /** Effects of so many times {@link #fromBytes} make an object a candidate for pages. */
  private static final int GROWTH = 16;

  /** And so many bytes in any case: with more the state may be too large for one piece. */
  private static final long MAX_GROWTH_BYTES = 128L << 20;

  /** What a map is expected to take per entry. */
  private static final int BYTES_PER_ENTRY = 1 << 10;

  /** A map with more entries is in pages of its own, whatever they take. */
  private static final int MAX_ENTRIES_IN_ROOT = 64;

  /** A part of a state that takes more is in a page of its own, whatever the state takes. */
  private static final int MAX_INLINE_BYTES = 64 << 10;

  /** Whether a state that is in one piece is put in pages. */
  public boolean isLarge(long bytes) {
    return bytes >= fromBytes;
  }

  /**
   * Whether effects that were not folded yet may have made a state large. It may still be small:
   * then it is encoded twice, which must be seldom.
   */
  public boolean mayBeLarge(long effectBytes) {
    return effectBytes >= Math.min((long) GROWTH * fromBytes, MAX_GROWTH_BYTES);
  }

  /** Whether a state that is in pages is put in one piece. */
  public boolean isSmall(long pageBytes) {
    return pageBytes < Math.min(fromBytes / HYSTERESIS, MAX_SMALL_BYTES);
  }

  /** The number of entries from which on a map in a large state is in pages of its own. */
  int minEntries() {
    return Math.max(1, Math.min(MAX_ENTRIES_IN_ROOT, fromBytes / BYTES_PER_ENTRY));
  }

  /** What a part of a state in pages takes at most if it is not in a page of its own. */
  int maxInlineBytes() {
    return Math.min(MAX_INLINE_BYTES, fromBytes);
  }
}
