package io.github.stablecut.internal.paging;

/**
 * Counts the bytes of pages that a thread copies to change them: a changed state in memory holds
 * the copies, and the data that it shares with the pages. Confined to one thread.
 */
public final class PageCopyCounter {
  private static final ThreadLocal<PageCopyCounter> OF_THREAD =
      ThreadLocal.withInitial(PageCopyCounter::new);

  private long bytes;

  private PageCopyCounter() {}

  static void count(int pageBytes) {
    OF_THREAD.get().bytes += pageBytes;
  }

  /** The bytes of the pages that the calling thread has copied so far. */
  public static long bytes() {
    return OF_THREAD.get().bytes;
  }
}
