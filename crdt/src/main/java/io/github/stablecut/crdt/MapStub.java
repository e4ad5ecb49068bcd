package io.github.stablecut.crdt;

import java.lang.ref.Reference;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A node of a {@link PersistentMap} whose page is read whenever somebody needs it. Thread-safe. */
final class MapStub<K extends Comparable<K>, V> extends MapNode<K, V> {
  private static final Object[] NO_KEYS = {};

  private final MapPages<K, V> pages;
  private final boolean isSettled;

  /** What the page takes, once it was read. Written before the reference to it. */
  private int bytes;

  /** The page, once it was read: quicker to find than in the cache. */
  private volatile @Nullable Reference<MapNode<K, V>> read;

  /**
   * @param visible how many of the entries below readers see
   * @param isSettled whether pruning changes none of the values below
   */
  MapStub(MapPages<K, V> pages, int page, int visible, boolean isSettled) {
    super(new SortedKeys<>(NO_KEYS), visible, page);
    this.pages = pages;
    this.isSettled = isSettled;
  }

  /** Whether it is a page of the state that is being replaced. */
  boolean isOf(PageWriter out) {
    return pages.areThoseOf(out);
  }

  @Override
  MapNode<K, V> loaded() {
    MapNode<K, V> known = Pages.contentOf(read);
    if (known != null) {
      return known;
    }
    Pages.Page<MapNode<K, V>> page = pages.node(page(), visible());
    bytes = page.bytes();
    read = page.reference();
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

  /** What is in pages and did not change stays there. */
  @Override
  boolean isHeavy(PageWriter out) {
    return isOf(out) || loaded().isHeavy(out);
  }

  @Override
  MapNode<K, V> edited(Edit edit, TreePath<K, V> way, int level) {
    return loaded().edited(edit, way, level);
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
