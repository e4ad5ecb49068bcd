package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.Pages;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a {@link PersistentMap} whose large value is in a page of its own. The page is read
 * on each access to the value; whether the entry is visible and the value settled is known without
 * it. Thread-safe.
 */
final class ValueStub<K extends Comparable<K>, V> implements Map.Entry<K, V>, Hideable {
  private final MapPages<K, V> pages;
  private final K key;
  private final int page;
  private final boolean isVisible;
  private final boolean isSettled;

  /** The size of the page in bytes, once read. */
  private int bytes;

  /**
   * @param page the number of the value's page
   * @param isVisible whether the entry is visible
   * @param isSettled whether pruning leaves the value unchanged, whatever the frontier
   */
  ValueStub(MapPages<K, V> pages, K key, int page, boolean isVisible, boolean isSettled) {
    this.pages = pages;
    this.key = key;
    this.page = page;
    this.isVisible = isVisible;
    this.isSettled = isSettled;
  }

  /** The value of a leaf's slot, which holds the value itself or a stub. */
  static Object loaded(Object stored) {
    return stored instanceof ValueStub<?, ?> stub ? stub.getValue() : stored;
  }

  /** Whether the entry with this slot content is visible. */
  static boolean isVisible(Object stored) {
    return !(stored instanceof Hideable hideable) || hideable.isVisible();
  }

  /** Reports that a changed value replaces that of a leaf's slot ({@link Pages#copied}). */
  static void copied(Object stored) {
    if (stored instanceof ValueStub<?, ?> stub) {
      stub.pages.pages().copied(stub.bytes);
    }
  }

  /** Whether the value's page belongs to the state that is being replaced. */
  boolean belongsTo(PageWriter out) {
    return pages.belongTo(out);
  }

  int page() {
    return page;
  }

  @Override
  public boolean isVisible() {
    return isVisible;
  }

  boolean isSettled() {
    return isSettled;
  }

  @Override
  public K getKey() {
    return key;
  }

  @Override
  public V getValue() {
    Pages.Page<V> read = pages.value(key, page);
    bytes = read.bytes();
    return read.content();
  }

  @Override
  public V setValue(V value) {
    throw new UnsupportedOperationException("maps are immutable");
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other || new SimpleImmutableEntry<>(this).equals(other);
  }

  @Override
  public int hashCode() {
    return new SimpleImmutableEntry<>(this).hashCode();
  }

  @Override
  public String toString() {
    return key + "=page " + page;
  }
}
