package io.github.stablecut.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.stablecut.crdt.Bytes;
import java.util.function.Supplier;

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

  /**
   * A page that was read.
   *
   * @param bytes of the encoded page
   */
  public record Page<T>(T content, int bytes) {}

  private final Cache<Place, Page<?>> pages;

  /**
   * @param maxBytes what all pages take at most, about
   */
  public PageCache(long maxBytes) {
    this.pages =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher(
                (Place place, Page<?> page) -> HEAD_BYTES + WEIGHT * Math.min(page.bytes, 1 << 28))
            .executor(Runnable::run)
            .build();
  }

  /**
   * A page.
   *
   * @param reading reads it; several threads may read the same page at once
   */
  @SuppressWarnings("unchecked") // a page is always decoded to content of the same kind
  public <T> Page<T> get(Place place, Supplier<Page<T>> reading) {
    Page<?> known = pages.getIfPresent(place);
    if (known == null) {
      Page<T> read = reading.get();
      pages.put(place, read);
      return read;
    }
    return (Page<T>) known;
  }

  /**
   * Drops the pages of other files than some: those are held as long as a page of theirs is here.
   */
  public void keepOnly(Object files) {
    var unused = pages.asMap().keySet().removeIf(place -> !place.files.equals(files));
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
