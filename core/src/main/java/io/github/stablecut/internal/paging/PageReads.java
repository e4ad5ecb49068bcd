package io.github.stablecut.internal.paging;

/**
 * Counts what the pages take that a thread reads, from files or from the cache. A change copies
 * nodes that it has read, so this bounds what it adds to a state in memory. Confined to one thread.
 */
public final class PageReads {
  private static final ThreadLocal<PageReads> OF_THREAD = ThreadLocal.withInitial(PageReads::new);

  private long bytes;

  private PageReads() {}

  static void count(int pageBytes) {
    OF_THREAD.get().bytes += pageBytes;
  }

  /** What the pages take that the calling thread has read since it began. */
  public static long bytes() {
    return OF_THREAD.get().bytes;
  }
}
