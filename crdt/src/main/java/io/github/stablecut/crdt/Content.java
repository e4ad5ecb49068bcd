package io.github.stablecut.crdt;

import java.util.List;

/**
 * What the elements of a list or text are kept in, and how that is cut and joined. Stateless;
 * contents are immutable.
 *
 * @param <C> a sequence of elements
 */
interface Content<C> {
  /** Cuts a sequence into parts from left to right, in time proportional to the whole. */
  interface Cutter<C> {
    /** The next elements, which are there. */
    C next(int size);
  }

  /** The number of elements. */
  int size(C elements);

  /**
   * The elements from one place to before another.
   *
   * @param size of the whole
   */
  C part(C elements, int size, int from, int to);

  C joined(C left, C right);

  /** Parts one after the other, in time proportional to what comes out. */
  C joined(List<C> parts);

  Cutter<C> cutter(C elements);

  void write(C elements, Encoder out);

  C read(Decoder in);
}
