package io.github.stablecut.internal.paging;

/**
 * Which states are stored in pages. Immutable.
 *
 * @param fromBytes a state of at least this size is put in pages
 */
public record PageSizes(int fromBytes) {
  /** A state whose pages take less than one in so many bytes of that is put in one piece again. */
  private static final int HYSTERESIS = 4;

  /** What a map is expected to take per entry. */
  private static final int BYTES_PER_ENTRY = 1 << 10;

  /** A map with more entries is in pages of its own, whatever they take. */
  private static final int MAX_ENTRIES_IN_ROOT = 64;

  /** Whether a state that is in one piece is put in pages. */
  public boolean isLarge(long bytes) {
    return bytes >= fromBytes;
  }

  /** Whether a state that is in pages is put in one piece. */
  public boolean isSmall(long pageBytes) {
    return pageBytes < fromBytes / HYSTERESIS;
  }

  /** The number of entries from which on a map in a large state is in pages of its own. */
  int minEntries() {
    return Math.max(1, Math.min(MAX_ENTRIES_IN_ROOT, fromBytes / BYTES_PER_ENTRY));
  }
}
