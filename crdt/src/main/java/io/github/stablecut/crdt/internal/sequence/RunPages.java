package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.Pages;
import io.github.stablecut.crdt.internal.sequence.RunNode.Inner;
import io.github.stablecut.crdt.internal.sequence.RunNode.Leaf;
import io.github.stablecut.crdt.internal.sequence.RunNode.Sums;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads and writes the nodes of a {@link RunTree} as pages. Immutable.
 *
 * <pre>
 *   leaf       1 byte: 0, then the runs ({@link RunsCodec})
 *   inner      1 byte: 1
 *     count    unsigned: the number of children
 *     children each a reference
 *
 *   reference
 *     page     unsigned: the number of the page
 *     number   unsigned: the number of the node in its tree
 *     size     unsigned: the number of elements below
 *     visible  unsigned: the number of visible ones
 *     units    unsigned: their length in units ({@link Run#visibleUnits})
 *     more     1 byte: 1 if there is a run below, plus 2 if there are bytes of list elements
 *     least    if there is a run, a dot: the least first dot of a run
 *     bytes    if there are bytes of list elements, unsigned: those of the visible elements
 * </pre>
 */
public record RunPages<C>(Pages pages, RunsCodec<C> runs) {
  private static final int LEAF = 0;
  private static final int INNER = 1;
  private static final int MIN_REFERENCE_BYTES = 6;
  private static final int WITH_LEAST = 1;
  private static final int WITH_BYTES = 2;

  boolean belongTo(PageWriter out) {
    return out.isFrom(pages);
  }

  /**
   * Reads a node.
   *
   * @param sums the sums in the reference to the node
   */
  Pages.Page<RunNode<C>> node(Integer number, int page, Sums sums) {
    return pages.<RunNode<C>>read(
        page,
        in -> {
          RunNode<C> node = readNode(in, number, page);
          check(node, sums);
          return node;
        });
  }

  private void check(RunNode<C> node, Sums sums) {
    runs.check(
        node.size == sums.size()
            && node.visible == sums.visible()
            && node.units == sums.units()
            && (node.bytes == sums.bytes() || sums.bytes() == 0),
        "page %d does not match its reference".formatted(node.page));
  }

  RunNode<C> readReference(Decoder in) {
    int page = in.readIndex();
    Integer number = in.readIndex();
    int size = in.readIndex();
    int visible = in.readIndex();
    int units = in.readIndex();
    int more = in.readByte();
    Dot least = (more & WITH_LEAST) == 0 ? null : in.readDot();
    long bytes = (more & WITH_BYTES) == 0 ? 0 : in.readUnsigned();
    runs.check(more <= (WITH_LEAST | WITH_BYTES), "unknown flags of a reference: " + more);
    runs.check(
        page > 0 && visible <= size && visible <= units && units / 2 <= visible,
        "page %d has %d elements, %d of them visible, with %d units"
            .formatted(page, size, visible, units));
    return new RunStub<>(this, number, page, new Sums(size, visible, units, bytes, least));
  }

  private RunNode<C> readNode(Decoder in, Integer number, int page) {
    int kind = in.readByte();
    return switch (kind) {
      case LEAF -> Leaf.of(number, page, runs.read(in));
      case INNER -> readInner(in, number, page);
      default -> throw new FormatException("unknown kind of page, expected 0 or 1: " + kind);
    };
  }

  private RunNode<C> readInner(Decoder in, Integer number, int page) {
    int count = in.readCount(MIN_REFERENCE_BYTES);
    runs.check(
        count > 0 && count <= RunNode.MAX, "a page has an invalid number of children: " + count);
    List<RunNode<C>> children = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      children.add(readReference(in));
    }
    return Inner.of(number, page, children);
  }

  /** Writes a node, unless its page is unchanged, then a reference to it. */
  static <C> void writeReference(
      RunNode<C> node, RunsCodec<C> runs, PageWriter pages, Encoder out) {
    out.writeUnsigned(pageOf(node, runs, pages));
    out.writeUnsigned(node.number);
    out.writeUnsigned(node.size);
    out.writeUnsigned(node.visible);
    out.writeUnsigned(node.units);
    Dot least = node.least;
    out.writeByte((least == null ? 0 : WITH_LEAST) | (node.bytes == 0 ? 0 : WITH_BYTES));
    if (least != null) {
      out.writeDot(least);
    }
    if (node.bytes != 0) {
      out.writeUnsigned(node.bytes);
    }
  }

  private static <C> int pageOf(RunNode<C> node, RunsCodec<C> runs, PageWriter pages) {
    if (!(node instanceof RunStub<C> stub)) {
      return pages.write(node.page, to -> writeNode(node, runs, pages, to));
    }
    if (stub.belongsTo(pages)) {
      pages.keep(stub.page);
      return stub.page;
    }
    RunNode<C> other = stub.loaded();
    return pages.write(0, to -> writeNode(other, runs, pages, to));
  }

  private static <C> void writeNode(
      RunNode<C> node, RunsCodec<C> runs, PageWriter pages, Encoder out) {
    if (node instanceof Inner<C> inner) {
      out.writeByte(INNER);
      out.writeUnsigned(inner.slots());
      for (int slot = 0; slot < inner.slots(); slot++) {
        writeReference(inner.stored(slot), runs, pages, out);
      }
    } else {
      out.writeByte(LEAF);
      runs.write(List.of(((Leaf<C>) node).runs), out);
    }
  }
}
