package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.Pages;
import io.github.stablecut.crdt.internal.tree.MapNode.Inner;
import io.github.stablecut.crdt.internal.tree.MapNode.Leaf;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Reads the nodes of a {@link PersistentMap} from pages, and large values from pages of their own.
 * Immutable.
 *
 * <pre>
 *   leaf       1 byte: 0, or 2 if some values are in pages of their own
 *     count    unsigned: the number of entries
 *     entries  each
 *       key
 *       form   1 byte, if some values are in pages of their own: 0 if this one is not. Otherwise 1,
 *              plus 2 if the entry is visible, plus 4 if pruning never changes the
 *              value
 *       value  or unsigned: the number of its page, which holds nothing else
 *   inner      1 byte: 1
 *     count    unsigned: the number of children
 *     children each a reference
 *     bounds   the least key of each child but the first
 *
 *   reference
 *     page     unsigned: its number
 *     visible  unsigned: the number of visible entries below
 *     settled  1 byte: 1 if pruning changes nothing below
 *
 *   map        in a state in pages
 *     few      as a leaf, of any number of entries: a map without pages for its nodes
 *     many     1 byte: 1
 *       size   unsigned: the number of entries
 *       root   a reference
 * </pre>
 *
 * @param minEntryBytes the minimum size of an entry in bytes, above 0
 */
record MapPages<K extends Comparable<K>, V>(
    Pages pages, int minEntryBytes, Function<Decoder, K> key, BiFunction<K, Decoder, V> value) {
  /** The kind of a leaf, or of a map of few entries. */
  static final int ENTRIES = 0;

  /** The kind of a leaf or map with some values in pages of their own. */
  static final int ENTRIES_APART = 2;

  static final int INNER = 1;

  /** The kind of a map of many entries. */
  static final int MANY = 1;

  /** The form of an inline value. */
  static final int HERE = 0;

  private static final int APART = 1;
  private static final int VISIBLE = 2;
  private static final int SETTLED = 4;

  private static final int MIN_REFERENCE_BYTES = 3;

  /** The minimum size of a key, a form and a page number. */
  private static final int MIN_APART_BYTES = 3;

  /** The form of a value in a page of its own. */
  static int apart(boolean isVisible, boolean isSettled) {
    return APART | (isVisible ? VISIBLE : 0) | (isSettled ? SETTLED : 0);
  }

  boolean belongTo(PageWriter out) {
    return out.isFrom(pages);
  }

  /**
   * Reads a node.
   *
   * @param visible the number of visible entries below, according to the reference to the node
   */
  Pages.Page<MapNode<K, V>> node(int page, int visible) {
    return pages.<MapNode<K, V>>read(page, in -> readNode(in, page, visible));
  }

  private MapNode<K, V> readReference(Decoder in) {
    return new MapStub<>(this, readPage(in), in.readIndex(), in.readFlag());
  }

  /** Reads a value from a page of its own. */
  Pages.Page<V> value(K ofKey, int page) {
    return pages.<V>read(page, in -> value.apply(ofKey, in));
  }

  /** Reads a map. */
  PersistentMap<K, V> readMap(Decoder in) {
    int kind = in.readByte();
    if (kind != MANY) {
      Entries entries = readEntries(kind, in);
      return PersistentMap.ofAscending(entries.keys, entries.values);
    }
    int size = in.readIndex();
    MapNode<K, V> root = readReference(in);
    if (size == 0 || root.visible() > size) {
      throw new FormatException(
          "a map in pages has %d entries and %d visible ones".formatted(size, root.visible()));
    }
    return PersistentMap.inPages(root, size);
  }

  private MapNode<K, V> readNode(Decoder in, int page, int visible) {
    int kind = in.readByte();
    MapNode<K, V> node = kind == INNER ? readInner(in, page) : readLeaf(kind, in, page);
    if (node.visible() != visible) {
      throw new FormatException(
          "a page has %d visible entries, but its reference says %d"
              .formatted(node.visible(), visible));
    }
    return node;
  }

  private MapNode<K, V> readLeaf(int kind, Decoder in, int page) {
    Entries entries = readEntries(kind, in);
    checkSlots(entries.keys.length, MapNode.LEAF_MAX);
    return new Leaf<>(entries.keys, entries.values, page);
  }

  private static final class Entries {
    private final Object[] keys;
    private final Object[] values;

    Entries(int count) {
      this.keys = new Object[count];
      this.values = new Object[count];
    }
  }

  private Entries readEntries(int kind, Decoder in) {
    if (kind != ENTRIES && kind != ENTRIES_APART) {
      throw new FormatException("unknown kind of page or map, expected 0 to 2: " + kind);
    }
    boolean mayBeApart = kind == ENTRIES_APART;
    int min = mayBeApart ? Math.min(minEntryBytes, MIN_APART_BYTES) : minEntryBytes;
    Entries entries = new Entries(in.readCount(min));
    K last = null;
    for (int slot = 0; slot < entries.keys.length; slot++) {
      K next = key.apply(in);
      if (last != null) {
        PersistentMap.checkAscending(last, next);
      }
      last = next;
      entries.keys[slot] = next;
      entries.values[slot] = mayBeApart ? readStored(next, in) : value.apply(next, in);
    }
    return entries;
  }

  private Object readStored(K ofKey, Decoder in) {
    int form = in.readByte();
    if (form == HERE) {
      return value.apply(ofKey, in);
    }
    if ((form & ~(VISIBLE | SETTLED)) != APART) {
      throw new FormatException("unknown form of a value: " + form);
    }
    return new ValueStub<>(this, ofKey, readPage(in), (form & VISIBLE) != 0, (form & SETTLED) != 0);
  }

  private static int readPage(Decoder in) {
    int page = in.readIndex();
    if (page == 0) {
      throw new FormatException("the number of a page must be above 0, not 0");
    }
    return page;
  }

  private MapNode<K, V> readInner(Decoder in, int page) {
    int count = in.readCount(MIN_REFERENCE_BYTES);
    checkSlots(count, MapNode.INNER_MAX);
    MapNode<K, V>[] children = MapNode.newNodes(count);
    for (int slot = 0; slot < count; slot++) {
      children[slot] = readReference(in);
    }
    Object[] bounds = new Object[count - 1];
    K last = null;
    for (int i = 0; i < bounds.length; i++) {
      K next = key.apply(in);
      if (last != null) {
        PersistentMap.checkAscending(last, next);
      }
      last = next;
      bounds[i] = next;
    }
    return new Inner<>(new SortedKeys<>(bounds), children, page);
  }

  private static void checkSlots(int count, int max) {
    if (count == 0 || count > max) {
      throw new FormatException("a page has 1 to %d slots, not %d".formatted(max, count));
    }
  }
}
