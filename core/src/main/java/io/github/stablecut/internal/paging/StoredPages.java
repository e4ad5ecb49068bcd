package io.github.stablecut.internal.paging;

import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.Pages;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.cache.PageCache;
import io.github.stablecut.key.Key;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The pages of an object's state in one checkpoint. Compared by value. Thread-safe. */
final class StoredPages implements Pages {
  private final PageFiles files;
  private final Bytes object;
  private final PageCache cache;

  StoredPages(PageFiles files, Bytes object, PageCache cache) {
    this.files = files;
    this.object = object;
    this.cache = cache;
  }

  @Override
  public <T> Page<T> read(int page, Function<Decoder, T> decoding) {
    return cache.get(
        new PageCache.PageId(files, object, page),
        place -> {
          byte[] bytes = files.read(object, page);
          return new PageInMemory<>(decode(page, bytes, decoding), bytes.length, place, cache);
        });
  }

  @Override
  public void copied(int bytes) {
    PageCopyCounter.count(bytes);
  }

  /** A page that was read. Thread-safe. */
  private static final class PageInMemory<T> implements Page<T>, PageCache.CachedPage {
    private final T content;
    private final int bytes;
    private final CachedContent<T> reference;

    PageInMemory(T content, int bytes, PageCache.PageId place, PageCache cache) {
      this.content = content;
      this.bytes = bytes;
      this.reference = new CachedContent<>(content, place, cache);
    }

    @Override
    public int bytes() {
      return bytes;
    }

    @Override
    public T content() {
      return content;
    }

    @Override
    public Reference<T> reference() {
      return reference;
    }
  }

  /** A weak reference to the content of a page, which reports hits to the cache. Thread-safe. */
  private static final class CachedContent<T> extends WeakReference<T> {
    private final PageCache.PageId place;
    private final PageCache cache;

    CachedContent(T content, PageCache.PageId place, PageCache cache) {
      super(content);
      this.place = place;
      this.cache = cache;
    }

    @Override
    public @Nullable T get() {
      cache.hit(place);
      return super.get();
    }
  }

  private <T> T decode(int page, byte[] bytes, Function<Decoder, T> decoding) {
    try {
      return CrdtCodec.decodePage(PageReferences.contentOf(bytes), this, decoding);
    } catch (FormatException e) {
      throw new CorruptCheckpointException(
          "page %d of object %s can't be decoded; other parts of the object may be readable: %s"
              .formatted(page, Key.nameOf(object), e.getMessage()),
          e);
    }
  }

  /** The size of a page, and the pages that it refers to. */
  Header header(int page) {
    byte[] bytes = files.read(object, page);
    return new Header(bytes.length, PageReferences.ofPage(bytes));
  }

  /** By value, because a cached page refers to the instance of its first reader. */
  @Override
  public boolean equals(Object other) {
    return other instanceof StoredPages that
        && files.equals(that.files)
        && object.equals(that.object);
  }

  @Override
  public int hashCode() {
    return Objects.hash(files, object);
  }

  /** The facts about a page that need no decoding of its content. */
  record Header(int bytes, List<Integer> references) {}
}
