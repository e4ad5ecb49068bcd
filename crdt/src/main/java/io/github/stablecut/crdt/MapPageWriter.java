package io.github.stablecut.crdt;

import io.github.stablecut.crdt.MapNode.Inner;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Writes the nodes of a {@link PersistentMap} that have changed as pages ({@link MapPages} has the
 * format), the children before their parents. Confined to one thread.
 *
 * @param isSettled whether pruning changes nothing of a value, whatever the frontier
 */
record MapPageWriter<K extends Comparable<K>, V>(
    PageWriter pages,
    BiConsumer<? super K, Encoder> key,
    BiConsumer<? super V, Encoder> value,
    Predicate<? super V> isSettled) {
  /** Writes a node, unless its page is as it was, and a reference to it. */
  void writeReference(MapNode<K, V> node, Encoder out) {
    out.writeUnsigned(pageOf(node));
    out.writeUnsigned(node.visible());
    out.writeFlag(node.isSettled(isSettled));
  }

  private int pageOf(MapNode<K, V> node) {
    if (!(node instanceof MapStub<K, V> stub)) {
      return pages.write(node.page(), to -> writeNode(node, to));
    }
    if (stub.isOf(pages)) {
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
      for (int place = 0; place < inner.slots(); place++) {
        writeReference(inner.stored(place), out);
      }
      for (int bound = 0; bound < inner.slots() - 1; bound++) {
        key.accept(inner.key(bound), out);
      }
      return;
    }
    out.writeByte(MapPages.LEAF);
    out.writeUnsigned(node.slots());
    node.forEach(
        (next, said) -> {
          key.accept(next, out);
          value.accept(said, out);
        });
  }
}
