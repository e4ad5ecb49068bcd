package io.github.stablecut.internal.paging;

/**
 * Counts what the pages take of which a thread makes changed copies: a changed state in memory
 * holds the copies, and what it shares with the pages. Confined to one thread.
 */
public final class PageCopyCounter {
  private static final ThreadLocal<PageCopyCounter> OF_THREAD =
      ThreadLocal.withInitial(PageCopyCounter::new);

  private long bytes;

  private PageCopyCounter() {}

  static void count(int pageBytes) {
    OF_THREAD.get().bytes += pageBytes;
  }

  /** What the pages take of which the calling thread has made copies since it began. */
  public static long bytes() {
    return OF_THREAD.get().bytes;
  }
}
