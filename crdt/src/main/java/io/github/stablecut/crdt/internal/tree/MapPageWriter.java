package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.internal.tree.MapNode.Inner;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Writes the changed nodes of a {@link PersistentMap} as pages, children before parents. {@link
 * MapPages} defines the format. Confined to one thread.
 *
 * @param isSettled whether pruning leaves a value unchanged, whatever the frontier
 * @param areSmall whether all values are small, so that none needs a page of its own
 */
record MapPageWriter<K extends Comparable<K>, V>(
    PageWriter pages,
    BiConsumer<? super K, Encoder> key,
    BiConsumer<? super V, Encoder> value,
    Predicate<? super V> isSettled,
    boolean areSmall) {
  /**
   * An entry with an encoded value.
   *
   * @param form how the value is stored: {@link MapPages#HERE}, or {@link MapPages#APART} with
   *     flags
   * @param value the number of the value's page, or its bytes
   */
  private record EncodedEntry<K>(K key, int form, PageWriter.Placement value) {}

  /** Writes a node, unless its page is unchanged, then a reference to it. */
  void writeReference(MapNode<K, V> node, Encoder out) {
    out.writeUnsigned(pageOf(node));
    out.writeUnsigned(node.visible());
    out.writeFlag(node.isSettled(isSettled));
  }

  private int pageOf(MapNode<K, V> node) {
    if (!(node instanceof MapStub<K, V> stub)) {
      return pages.write(node.page(), to -> writeNode(node, to));
    }
    if (stub.belongsTo(pages)) {
      pages.keep(stub.page());
      return stub.page();
    }
    MapNode<K, V> other = stub.loaded();
    return pages.write(0, to -> writeNode(other, to));
  }

  private void writeNode(MapNode<K, V> node, Encoder out) {
    if (node instanceof Inner<K, V> inner) {
      out.writeByte(MapPages.INNER);
      out.writeUnsigned(inner.slots());
      for (int slot = 0; slot < inner.slots(); slot++) {
        writeReference(inner.stored(slot), out);
      }
      for (int bound = 0; bound < inner.slots() - 1; bound++) {
        key.accept(inner.key(bound), out);
      }
      return;
    }
    writeEntries(node, node.slots(), !areSmall, out);
  }

  /**
   * Writes the entries of a map without pages for its nodes. The value of a single entry stays
   * inline: if it is large, so is the map, which then is in a page of its own unless it is the
   * whole object.
   */
  void writeFew(@Nullable MapNode<K, V> root, int count, Encoder out) {
    writeEntries(root, count, !areSmall && count > 1, out);
  }

  private void writeEntries(
      @Nullable MapNode<K, V> node, int count, boolean mayBeApart, Encoder out) {
    Iterator<Map.Entry<K, V>> entries = new MapEntries<>(node);
    if (mayBeApart) {
      writeEncoded(entries, count, out);
      return;
    }
    out.writeByte(MapPages.ENTRIES);
    out.writeUnsigned(count);
    while (entries.hasNext()) {
      Map.Entry<K, V> next = entries.next();
      key.accept(next.getKey(), out);
      value.accept(next.getValue(), out);
    }
  }

  private void writeEncoded(Iterator<Map.Entry<K, V>> entries, int count, Encoder out) {
    List<EncodedEntry<K>> encoded = new ArrayList<>(count);
    boolean isAnyApart = false;
    while (entries.hasNext()) {
      EncodedEntry<K> next = encoded(entries.next());
      encoded.add(next);
      isAnyApart |= next.form != MapPages.HERE;
    }
    out.writeByte(isAnyApart ? MapPages.ENTRIES_APART : MapPages.ENTRIES);
    out.writeUnsigned(count);
    for (EncodedEntry<K> entry : encoded) {
      key.accept(entry.key, out);
      if (isAnyApart) {
        out.writeByte(entry.form);
      }
      if (entry.form == MapPages.HERE) {
        out.writeEncoded(entry.value.bytes());
      } else {
        out.writeUnsigned(entry.value.page());
      }
    }
  }

  private EncodedEntry<K> encoded(Map.Entry<K, V> entry) {
    if (entry instanceof ValueStub<K, V> stub && stub.belongsTo(pages)) {
      pages.keep(stub.page());
      int form = MapPages.apart(stub.isVisible(), stub.isSettled());
      return new EncodedEntry<>(entry.getKey(), form, PageWriter.Placement.inPage(stub.page()));
    }
    V stored = entry.getValue();
    PageWriter.Placement encodedValue = pages.writeIfLarge(to -> value.accept(stored, to));
    int form =
        encodedValue.page() == 0
            ? MapPages.HERE
            : MapPages.apart(ValueStub.isVisible(stored), isSettled.test(stored));
    return new EncodedEntry<>(entry.getKey(), form, encodedValue);
  }
}
