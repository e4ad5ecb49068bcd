package io.github.stablecut.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.stablecut.crdt.Bytes;
import java.util.function.Function;

/** The pages of large states that were read last, decoded. Thread-safe. */
public final class PageCache {
  /** What a decoded page takes in memory, as a multiple of its bytes. */
  private static final int WEIGHT = 3;

  private static final int HEAD_BYTES = 200;

  /**
   * What names a page.
   *
   * @param files where it is read from; compared by identity
   */
  public record Place(Object files, Bytes object, int page) {}

  /** A page that was read. */
  public interface Sized {
    /** What the encoded page takes. */
    int bytes();
  }

  private final Cache<Place, Sized> pages;

  /**
   * @param maxBytes what all pages take at most, about
   */
  public PageCache(long maxBytes) {
    this.pages =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher(
                (Place place, Sized page) -> HEAD_BYTES + WEIGHT * Math.min(page.bytes(), 1 << 28))
            .executor(Runnable::run)
            .build();
  }

  /**
   * A page.
   *
   * @param reading reads it; several threads may read the same page at once
   */
  @SuppressWarnings("unchecked") // a page is always read to content of the same kind
  public <P extends Sized> P get(Place place, Function<Place, P> reading) {
    Sized known = pages.getIfPresent(place);
    if (known == null) {
      P read = reading.apply(place);
      pages.put(place, read);
      return read;
    }
    return (P) known;
  }

  /** Somebody found a page without asking the cache. */
  public void hit(Place place) {
    if (Sampling.takes()) {
      var unused = pages.getIfPresent(place);
    }
  }

  /** Drops all pages. */
  public void clear() {
    pages.invalidateAll();
  }

  /** How many pages are kept. */
  public long size() {
    return pages.estimatedSize();
  }
}
