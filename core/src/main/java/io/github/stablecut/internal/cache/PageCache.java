package io.github.stablecut.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.stablecut.crdt.Bytes;
import java.util.function.Function;

/** A cache of recently read pages of large states, decoded. Thread-safe. */
public final class PageCache {
  /** The size of a decoded page in memory, as a multiple of its bytes. */
  private static final int WEIGHT = 3;

  private static final int HEAD_BYTES = 200;

  /**
   * The cache key of a page.
   *
   * @param files the files with the page; compared by identity
   */
  public record PageId(Object files, Bytes object, int page) {}

  /** A page that was read. */
  public interface CachedPage {
    /** The size of the encoded page. */
    int bytes();
  }

  private final Cache<PageId, CachedPage> pages;

  /**
   * @param maxBytes the approximate maximum size of all pages
   */
  public PageCache(long maxBytes) {
    this.pages =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher(
                (PageId place, CachedPage page) ->
                    HEAD_BYTES + WEIGHT * Math.min(page.bytes(), 1 << 28))
            .executor(Runnable::run)
            .build();
  }

  /**
   * Returns a page from the cache, or reads it.
   *
   * @param reading reads it; several threads may read the same page at once
   */
  @SuppressWarnings("unchecked") // a page is always read to content of the same kind
  public <P extends CachedPage> P get(PageId place, Function<PageId, P> reading) {
    CachedPage known = pages.getIfPresent(place);
    if (known == null) {
      P read = reading.apply(place);
      pages.put(place, read);
      return read;
    }
    return (P) known;
  }

  /** Notes a hit on a page that was found without the cache. */
  @SuppressWarnings("CheckReturnValue") // the look-up tells the eviction policy
  public void hit(PageId place) {
    if (Sampling.takes()) {
      pages.getIfPresent(place);
    }
  }

  /** Drops all pages. */
  public void clear() {
    pages.invalidateAll();
  }

  /** The number of cached pages. */
  public long size() {
    return pages.estimatedSize();
  }
}
