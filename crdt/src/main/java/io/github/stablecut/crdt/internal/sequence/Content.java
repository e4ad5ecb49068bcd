package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import java.util.List;

/**
 * Operations on the representation of a sequence of list or text elements: cut, join, encode.
 * Stateless; the sequences are immutable.
 *
 * @param <C> a sequence of elements
 */
public interface Content<C> {
  /** Cuts a sequence into parts from left to right, in total time proportional to its size. */
  interface Cutter<C> {
    /** The next {@code size} elements, which must exist. */
    C next(int size);
  }

  /** The number of elements. */
  int size(C elements);

  /**
   * The elements from one index (inclusive) to another (exclusive).
   *
   * @param size the size of the whole sequence
   */
  C part(C elements, int size, int from, int to);

  C joined(C left, C right);

  /** Concatenates parts, in time proportional to the size of the result. */
  C joined(List<C> parts);

  Cutter<C> cutter(C elements);

  void write(C elements, Encoder out);

  C read(Decoder in);
}
