package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Adjacent elements that one data centre inserted, in ascending order of dots: continuous typing.
 * Each element but the first was inserted after its predecessor. Either all are visible or all are
 * deleted. Immutable.
 *
 * @param <C> a sequence of elements
 */
public sealed interface Run<C> {
  /**
   * The maximum number of visible elements of a run in memory, because a keystroke copies a run.
   */
  int MAX_ELEMENTS = 256;

  /** The maximum number of spans of a run in memory, for the same reason. */
  int MAX_SPANS = 64;

  /**
   * The maximum size of a run's elements in memory in bytes, unless it has one element; limits the
   * size of pages.
   */
  int MAX_BYTES = 64 << 10;

  /** The elements' dots, in ascending order. */
  Dots ids();

  /** Whether the first element was inserted before another element rather than after one. */
  boolean isBefore();

  /** The number of elements that a reader sees. */
  int visibleSize();

  /**
   * The length of the visible elements in units: {@code char} values for a text, where a code point
   * may take two, otherwise elements.
   */
  int visibleUnits();

  /**
   * The total bytes of the visible elements from one index (inclusive) to another (exclusive). 0
   * for texts, whose size follows from their number of elements.
   */
  long visibleBytes(int from, int to);

  /** The elements from one index (inclusive) to another (exclusive). */
  Run<C> part(Content<C> content, int from, int to);

  /**
   * Whether this run and the next have the same kind, so that they could be joined as far as their
   * ids permit.
   */
  boolean isLike(Run<C> next);

  /** Joins this run and the next, which it must {@link #precedes precede}. */
  Run<C> joined(Content<C> content, Run<C> next);

  /** Splits this run into runs within the limits for memory. */
  List<Run<C>> pieces(Content<C> content);

  /** Visible elements. */
  record Visible<C>(Dots ids, C elements, boolean isBefore) implements Run<C> {
    @Override
    public int visibleSize() {
      return size();
    }

    @Override
    public int visibleUnits() {
      return elements instanceof CharSequence text ? text.length() : size();
    }

    @Override
    public long visibleBytes(int from, int to) {
      if (elements instanceof PackedElements packed) {
        return packed.bytes(from, to);
      }
      long bytes = 0;
      if (elements instanceof List<?> list) {
        for (int i = from; i < to; i++) {
          bytes += bytesOf(list.get(i));
        }
      }
      return bytes;
    }

    private static int bytesOf(Object element) {
      return element instanceof Bytes bytes ? bytes.length() : 0;
    }

    @Override
    public Visible<C> part(Content<C> content, int from, int to) {
      return from == 0 && to == size()
          ? this
          : new Visible<>(
              ids.part(from, to), content.part(elements, size(), from, to), isBefore && from == 0);
    }

    @Override
    public boolean isLike(Run<C> next) {
      return next instanceof Visible<C>;
    }

    @Override
    public Visible<C> joined(Content<C> content, Run<C> next) {
      C more = ((Visible<C>) next).elements;
      return new Visible<>(ids.plus(next.ids()), content.joined(elements, more), isBefore);
    }

    @Override
    public List<Run<C>> pieces(Content<C> content) {
      if (fits()) {
        return List.of(this);
      }
      NavigableSet<Integer> ends = new TreeSet<>();
      ids.addEnds(ends, MAX_SPANS);
      for (int end = MAX_ELEMENTS; end < size(); end += MAX_ELEMENTS) {
        ends.add(end);
      }
      addEndsOfBytes(ends);
      List<Run<C>> pieces = new ArrayList<>(ends.size());
      Content.Cutter<C> rest = content.cutter(elements);
      for (Dots part : ids.cut(ends)) {
        pieces.add(new Visible<>(part, rest.next(part.size()), isBefore && pieces.isEmpty()));
      }
      return pieces;
    }

    /** Adds cuts so that no part exceeds {@link #MAX_BYTES}. */
    private void addEndsOfBytes(NavigableSet<Integer> ends) {
      if (!(elements instanceof List<?> list) || visibleBytes() <= MAX_BYTES) {
        return;
      }
      long bytes = bytesOf(list.get(0));
      for (int i = 1; i < list.size(); i++) {
        int next = bytesOf(list.get(i));
        boolean isCut = ends.contains(i);
        if (!isCut && bytes + next > MAX_BYTES) {
          isCut = ends.add(i);
        }
        bytes = isCut ? next : bytes + next;
      }
    }
  }

  /**
   * Tombstones: deleted elements, which still determine the order of elements that arrive later.
   *
   * @param by for each element the transaction that deleted it, as a dot with index 0; the least if
   *     there are several
   */
  record Deleted<C>(Dots ids, Dots by, boolean isBefore) implements Run<C> {
    @Override
    public int visibleSize() {
      return 0;
    }

    @Override
    public int visibleUnits() {
      return 0;
    }

    @Override
    public long visibleBytes(int from, int to) {
      return 0;
    }

    @Override
    public Deleted<C> part(Content<C> content, int from, int to) {
      return from == 0 && to == size()
          ? this
          : new Deleted<>(ids.part(from, to), by.part(from, to), isBefore && from == 0);
    }

    @Override
    public boolean isLike(Run<C> next) {
      return next instanceof Deleted<C> tombstones && by.canPrecede(tombstones.by);
    }

    @Override
    public Deleted<C> joined(Content<C> content, Run<C> next) {
      return new Deleted<>(ids.plus(next.ids()), by.plus(((Deleted<C>) next).by), isBefore);
    }

    @Override
    public List<Run<C>> pieces(Content<C> content) {
      if (fits()) {
        return List.of(this);
      }
      NavigableSet<Integer> ends = new TreeSet<>();
      ids.addEnds(ends, MAX_SPANS / 2);
      by.addEnds(ends, MAX_SPANS / 2);
      List<Run<C>> pieces = new ArrayList<>(ends.size());
      Iterator<Dots> transactions = by.cut(ends).iterator();
      for (Dots part : ids.cut(ends)) {
        pieces.add(new Deleted<>(part, transactions.next(), isBefore && pieces.isEmpty()));
      }
      return pieces;
    }
  }

  /** Joins one or more runs, each of which must precede the next. */
  static <C> Run<C> joined(Content<C> content, List<Run<C>> runs) {
    if (runs.size() == 1) {
      return runs.get(0);
    }
    Dots ids = Dots.joined(runs.stream().map(Run::ids).toList()).get(0);
    if (runs.get(0) instanceof Deleted<C>) {
      List<Dots> by = runs.stream().map(run -> ((Deleted<C>) run).by).toList();
      return new Deleted<>(ids, Dots.joined(by).get(0), runs.get(0).isBefore());
    }
    List<C> elements = runs.stream().map(run -> ((Visible<C>) run).elements).toList();
    return new Visible<>(ids, content.joined(elements), runs.get(0).isBefore());
  }

  default int size() {
    return ids().size();
  }

  /**
   * Whether this run and the next can be joined, apart from their size, if no dot of another run is
   * between theirs.
   */
  default boolean precedes(Run<C> next) {
    return isLike(next)
        && !next.isBefore()
        && ids().canPrecede(next.ids())
        && ids().last().compareTo(next.ids().first()) < 0;
  }

  /** The total bytes of all visible elements, as {@link #visibleBytes(int, int)}. */
  default long visibleBytes() {
    return visibleBytes(0, visibleSize());
  }

  /** Whether this run and the next together are within the limits for memory. */
  default boolean fitsWith(Run<C> next) {
    return fitsWith(next, Long.MAX_VALUE);
  }

  /**
   * Like {@link #fitsWith(Run)}.
   *
   * @param bytesBound an upper bound of {@link #visibleBytes}; a small one saves adding up the
   *     elements
   */
  default boolean fitsWith(Run<C> next, long bytesBound) {
    if (visibleSize() > MAX_ELEMENTS - next.visibleSize()
        || spanCount() > MAX_SPANS - next.spanCount()) {
      return false;
    }
    long freeBytes = MAX_BYTES - next.visibleBytes();
    return bytesBound <= freeBytes || visibleBytes() <= freeBytes;
  }

  /** Whether this run is within the limits for memory. */
  default boolean fits() {
    return visibleSize() <= MAX_ELEMENTS
        && spanCount() <= MAX_SPANS
        && (visibleSize() <= 1 || visibleBytes() <= MAX_BYTES);
  }

  private int spanCount() {
    int tombstoneSpans = this instanceof Deleted<C> tombstones ? tombstones.by.spanCount() : 0;
    return ids().spanCount() + tombstoneSpans;
  }
}
