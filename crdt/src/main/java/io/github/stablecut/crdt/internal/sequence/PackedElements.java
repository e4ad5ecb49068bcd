package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.crdt.Bytes;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * Elements of a list in one contiguous array. Reading an element takes two memory accesses; storing
 * one takes four bytes besides its own. Parts share the array. {@link #get} creates the elements.
 * Immutable.
 */
public final class PackedElements extends AbstractList<Bytes> implements RandomAccess {
  /**
   * Elements larger than this on average are not packed, so that readers share them instead of
   * copying.
   */
  private static final int MAX_AVERAGE_BYTES = 256;

  private final byte[] array;

  /** The end of each element in the array; the first begins at 0. */
  private final int[] ends;

  private final int from;
  private final int to;

  private PackedElements(byte[] array, int[] ends, int from, int to) {
    this.array = array;
    this.ends = ends;
    this.from = from;
    this.to = to;
  }

  /** Copies elements, packed if they are small. */
  public static List<Bytes> copyOf(List<Bytes> elements) {
    if (elements instanceof PackedElements) {
      return elements;
    }
    long bytes = 0;
    for (Bytes element : elements) {
      bytes += element.length();
    }
    return bytes > (long) MAX_AVERAGE_BYTES * elements.size() || elements.size() == 1
        ? List.copyOf(elements)
        : packed(elements, (int) bytes);
  }

  private static PackedElements packed(List<Bytes> elements, int bytes) {
    byte[] array = new byte[bytes];
    int[] ends = new int[elements.size()];
    int end = 0;
    for (int i = 0; i < ends.length; i++) {
      Bytes element = elements.get(i);
      element.copyInto(array, end);
      end += element.length();
      ends[i] = end;
    }
    return new PackedElements(array, ends, 0, ends.length);
  }

  /** The elements from one index (inclusive) to another (exclusive). */
  public static List<Bytes> part(List<Bytes> elements, int from, int to) {
    Objects.checkFromToIndex(from, to, elements.size());
    return elements instanceof PackedElements packed
        ? new PackedElements(packed.array, packed.ends, packed.from + from, packed.from + to)
        : List.copyOf(elements.subList(from, to));
  }

  @Override
  public int size() {
    return to - from;
  }

  @Override
  public Bytes get(int index) {
    int slot = from + Objects.checkIndex(index, size());
    return Bytes.wrap(Arrays.copyOfRange(array, Ends.before(ends, slot), ends[slot]));
  }

  /** The total length of the elements from one index (inclusive) to another (exclusive). */
  int bytes(int first, int end) {
    return Ends.before(ends, from + end) - Ends.before(ends, from + first);
  }
}
