package io.github.stablecut.crdt;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a {@link PersistentMap} whose value is in a page of its own, because it is large. The
 * page is read whenever somebody needs the value; whether readers see the entry, and whether the
 * value is settled, is known without it. Thread-safe.
 */
final class ValueStub<K extends Comparable<K>, V> implements Map.Entry<K, V>, Hideable {
  private final MapPages<K, V> pages;
  private final K key;
  private final int page;
  private final boolean isVisible;
  private final boolean isSettled;

  /** What the page takes, once it was read. */
  private int bytes;

  /**
   * @param page the number of the value's page
   * @param isVisible whether readers see the entry
   * @param isSettled whether pruning changes nothing of the value, whatever the frontier
   */
  ValueStub(MapPages<K, V> pages, K key, int page, boolean isVisible, boolean isSettled) {
    this.pages = pages;
    this.key = key;
    this.page = page;
    this.isVisible = isVisible;
    this.isSettled = isSettled;
  }

  /** The value that a leaf holds itself, or as a stub. */
  static Object loaded(Object stored) {
    return stored instanceof ValueStub<?, ?> stub ? stub.getValue() : stored;
  }

  /** Whether readers see an entry of which a leaf holds this. */
  static boolean isVisible(Object stored) {
    return !(stored instanceof Hideable hideable) || hideable.isVisible();
  }

  /** A changed value comes in the place of one that a leaf holds itself, or as a stub. */
  static void copied(Object stored) {
    if (stored instanceof ValueStub<?, ?> stub) {
      stub.pages.pages().copied(stub.bytes);
    }
  }

  /** Whether the value is in a page of the state that is being replaced. */
  boolean isOf(PageWriter out) {
    return pages.areThoseOf(out);
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
