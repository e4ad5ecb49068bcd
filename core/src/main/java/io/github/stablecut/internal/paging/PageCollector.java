package io.github.stablecut.internal.paging;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.Pages;
import io.github.stablecut.crdt.codec.CrdtCodec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Collects the changed pages of one state. Confined to one thread. */
final class PageCollector implements PageWriter {
  private final PageSizes sizes;
  private final Optional<StoredPages> replaced;
  private final SortedMap<Integer, byte[]> written = new TreeMap<>();
  private final Set<Integer> kept = new HashSet<>();

  /** The references of the root, and of the pages being written. */
  private final Deque<List<Integer>> references = new ArrayDeque<>();

  private int next;
  private long writtenBytes;

  /**
   * @param replaced the pages of the state being replaced
   * @param next the number of the first new page
   */
  PageCollector(PageSizes sizes, Optional<StoredPages> replaced, int next) {
    this.sizes = sizes;
    this.replaced = replaced;
    this.next = next;
    references.push(new ArrayList<>());
  }

  @Override
  public int minEntries() {
    return sizes.minEntries();
  }

  @Override
  public int maxInlineBytes() {
    return sizes.maxInlineBytes();
  }

  @Override
  public boolean isFrom(Pages pages) {
    return replaced.filter(pages::equals).isPresent();
  }

  @Override
  public void keep(int page) {
    kept.add(page);
    references.element().add(page);
  }

  @Override
  public int write(int page, Consumer<Encoder> content) {
    int number = replaced.isPresent() && page != 0 ? page : next++;
    references.push(new ArrayList<>());
    byte[] encoded = CrdtCodec.encodePage(content, this);
    put(number, references.pop(), encoded);
    return number;
  }

  @Override
  public Placement writeIfLarge(Consumer<Encoder> content) {
    references.push(new ArrayList<>());
    byte[] encoded = CrdtCodec.encodePage(content, this);
    List<Integer> inside = references.pop();
    if (encoded.length <= sizes.maxInlineBytes()) {
      references.element().addAll(inside);
      return Placement.inline(encoded);
    }
    int number = next++;
    put(number, inside, encoded);
    return Placement.inPage(number);
  }

  private void put(int page, List<Integer> inside, byte[] encoded) {
    byte[] bytes = PageReferences.page(inside, encoded);
    if (written.put(page, bytes) != null) {
      throw new IllegalStateException("page " + page + " is written twice");
    }
    writtenBytes += bytes.length;
    references.element().add(page);
  }

  boolean hasKept(int page) {
    return kept.contains(page);
  }

  /** The new and changed pages. */
  SortedMap<Integer, byte[]> written() {
    return written;
  }

  long writtenBytes() {
    return writtenBytes;
  }

  /**
   * The change that the checkpoint has to write.
   *
   * @param bytes the size of all pages
   * @param state the bytes of the state without its pages
   * @param obsolete the pages that are no longer needed
   */
  PageChange change(long bytes, byte[] state, Set<Integer> obsolete) {
    return new PageChange(
        new PagedRoot(bytes, next, references.element(), Bytes.wrap(state)), written, obsolete);
  }
}
