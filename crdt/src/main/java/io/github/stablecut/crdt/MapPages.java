package io.github.stablecut.crdt;

import io.github.stablecut.crdt.MapNode.Inner;
import io.github.stablecut.crdt.MapNode.Leaf;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The nodes of a {@link PersistentMap} that are read from pages. Immutable.
 *
 * <pre>
 *   leaf       1 byte: 0
 *     count    unsigned: the number of entries
 *     entries  each a key and a value, as in the bytes of a small map
 *   inner      1 byte: 1
 *     count    unsigned: the number of children
 *     children each a reference
 *     bounds   the least key of each child but the first
 *
 *   reference
 *     page     unsigned: its number
 *     visible  unsigned: how many of the entries below readers see
 *     settled  1 byte: 1 if pruning changes nothing below
 * </pre>
 *
 * @param minEntryBytes what an entry takes at least, above 0
 */
record MapPages<K extends Comparable<K>, V>(
    Pages pages, int minEntryBytes, Function<Decoder, K> key, BiFunction<K, Decoder, V> value) {
  static final int LEAF = 0;
  static final int INNER = 1;

  private static final int MIN_REFERENCE_BYTES = 3;

  boolean areThoseOf(PageWriter out) {
    return out.isFrom(pages);
  }

  MapNode<K, V> node(int page) {
    return pages.<MapNode<K, V>>read(page, in -> readNode(in, page));
  }

  MapNode<K, V> readReference(Decoder in) {
    int page = in.readIndex();
    if (page == 0) {
      throw new FormatException("a page has no number");
    }
    return new MapStub<>(this, page, in.readIndex(), in.readFlag());
  }

  private MapNode<K, V> readNode(Decoder in, int page) {
    int kind = in.readByte();
    return switch (kind) {
      case LEAF -> readLeaf(in, page);
      case INNER -> readInner(in, page);
      default -> throw new FormatException("a page is of kind 0 or 1, not " + kind);
    };
  }

  private MapNode<K, V> readLeaf(Decoder in, int page) {
    int count = checked(in.readCount(minEntryBytes), MapNode.LEAF_MAX);
    Object[] keys = new Object[count];
    Object[] values = new Object[count];
    K last = null;
    for (int slot = 0; slot < count; slot++) {
      K next = key.apply(in);
      if (last != null) {
        PersistentMap.checkAscending(last, next);
      }
      last = next;
      keys[slot] = next;
      values[slot] = value.apply(next, in);
    }
    return new Leaf<>(keys, values, page);
  }

  private MapNode<K, V> readInner(Decoder in, int page) {
    int count = checked(in.readCount(MIN_REFERENCE_BYTES), MapNode.INNER_MAX);
    MapNode<K, V>[] children = MapNode.newNodes(count);
    for (int place = 0; place < count; place++) {
      children[place] = readReference(in);
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

  private static int checked(int count, int max) {
    if (count == 0 || count > max) {
      throw new FormatException("a page has 1 to %d slots, not %d".formatted(max, count));
    }
    return count;
  }
}
