package io.github.stablecut.internal.paging;

/**
 * The sizes that decide which states are stored in pages. Immutable.
 *
 * @param fromBytes the minimum size of a state to store in pages
 */
public record PageSizes(int fromBytes) {
  /** A state whose pages take less than {@link #fromBytes} divided by this returns to one piece. */
  private static final int HYSTERESIS = 4;

  /** A paged state above this size stays in pages, because it may be too large for one piece. */
  private static final int MAX_SMALL_BYTES = 32 << 20;

  /** Effects of this multiple of {@link #fromBytes} make an object a candidate for pages. */
  private static final int GROWTH = 16;

  /** Effects of this size always do: with more the state may be too large for one piece. */
  private static final long MAX_GROWTH_BYTES = 128L << 20;

  /** The expected size of a map per entry. */
  private static final int BYTES_PER_ENTRY = 1 << 10;

  /** A map with more entries is in its own pages, whatever its size. */
  private static final int MAX_ENTRIES_IN_ROOT = 64;

  /** A larger part of a state is in its own page, whatever the size of the state. */
  private static final int MAX_INLINE_BYTES = 64 << 10;

  /** Whether a state in one piece is to be stored in pages. */
  public boolean isLarge(long bytes) {
    return bytes >= fromBytes;
  }

  /**
   * Whether unfolded effects may have made a state large. If it turns out small it is encoded
   * twice, which must be rare.
   */
  public boolean mayBeLarge(long effectBytes) {
    return effectBytes >= Math.min((long) GROWTH * fromBytes, MAX_GROWTH_BYTES);
  }

  /** Whether a state in pages is to be stored in one piece. */
  public boolean isSmall(long pageBytes) {
    return pageBytes < Math.min(fromBytes / HYSTERESIS, MAX_SMALL_BYTES);
  }

  /** The minimum number of entries for a map in a large state to be in its own pages. */
  int minEntries() {
    return Math.max(1, Math.min(MAX_ENTRIES_IN_ROOT, fromBytes / BYTES_PER_ENTRY));
  }

  /** The maximum size of a part of a paged state that is not in its own page. */
  int maxInlineBytes() {
    return Math.min(MAX_INLINE_BYTES, fromBytes);
  }
}
