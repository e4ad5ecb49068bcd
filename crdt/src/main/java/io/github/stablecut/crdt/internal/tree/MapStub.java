package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.Pages;
import java.lang.ref.Reference;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A node of a {@link PersistentMap} whose page is read on demand. Thread-safe. */
final class MapStub<K extends Comparable<K>, V> extends MapNode<K, V> {
  private static final Object[] NO_KEYS = {};

  private final MapPages<K, V> pages;
  private final boolean isSettled;

  /** The size of the page in bytes, once read. Written before {@link #content}. */
  private int bytes;

  /** The page's content, once read: faster to access than through the cache. */
  private volatile @Nullable Reference<MapNode<K, V>> content;

  /**
   * @param visible the number of visible entries below
   * @param isSettled whether pruning leaves all values below unchanged
   */
  MapStub(MapPages<K, V> pages, int page, int visible, boolean isSettled) {
    super(new SortedKeys<>(NO_KEYS), visible, page);
    this.pages = pages;
    this.isSettled = isSettled;
  }

  /** Whether the page belongs to the state that is being replaced. */
  boolean belongsTo(PageWriter out) {
    return pages.belongTo(out);
  }

  @Override
  MapNode<K, V> loaded() {
    MapNode<K, V> cached = Pages.contentOf(content);
    if (cached != null) {
      return cached;
    }
    Pages.Page<MapNode<K, V>> page = pages.node(page(), visible());
    bytes = page.bytes();
    content = page.reference();
    return page.content();
  }

  @Override
  void copied() {
    pages.pages().copied(bytes);
  }

  @Override
  boolean isSettled(Predicate<? super V> isValueSettled) {
    return isSettled;
  }

  @Override
  void forEachUnsettled(BiConsumer<? super K, ? super V> visitor) {
    if (!isSettled) {
      loaded().forEachUnsettled(visitor);
    }
  }

  @Override
  void forEach(BiConsumer<? super K, ? super V> visitor) {
    loaded().forEach(visitor);
  }

  @Override
  int slots() {
    return loaded().slots();
  }

  @Override
  boolean isTooLarge() {
    return loaded().isTooLarge();
  }

  @Override
  boolean isTooSmall() {
    return loaded().isTooSmall();
  }

  /** An unchanged node stays in its page, so its keys don't matter. */
  @Override
  boolean isHeavy(PageWriter out) {
    return belongsTo(out) || loaded().isHeavy(out);
  }

  @Override
  MapNode<K, V> edited(Edit edit, TreePath<K, V> path, int level) {
    return loaded().edited(edit, path, level);
  }

  @Override
  Map.@Nullable Entry<K, V> below(K key, boolean orAt) {
    return loaded().below(key, orAt);
  }

  @Override
  Map.@Nullable Entry<K, V> above(K key) {
    return loaded().above(key);
  }

  @Override
  int rank(K key, boolean orAt) {
    return loaded().rank(key, orAt);
  }

  @Override
  MapHalves<K, V> split() {
    return loaded().split();
  }

  @Override
  MapNode<K, V> joinedWith(K bound, MapNode<K, V> next) {
    return loaded().joinedWith(bound, next);
  }
}
