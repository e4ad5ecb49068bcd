package io.github.stablecut.internal.paging;

/**
 * Counts what the pages take of which a thread makes changed copies: a changed state in memory
 * holds the copies, and what it shares with the pages. Confined to one thread.
 */
public final class PageCopies {
  private static final ThreadLocal<PageCopies> OF_THREAD = ThreadLocal.withInitial(PageCopies::new);

  private long bytes;

  private PageCopies() {}

  static void count(int pageBytes) {
    OF_THREAD.get().bytes += pageBytes;
  }

  /** What the pages take of which the calling thread has made copies since it began. */
  public static long bytes() {
    return OF_THREAD.get().bytes;
  }
}
