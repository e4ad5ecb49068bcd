package io.github.stablecut.crdt;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Elements that stand side by side and were inserted by one data centre, each with a greater dot
 * than the one before it: what somebody typed in one go. Each but the first was inserted after the
 * one before it. Either all of them are visible or all are deleted. Immutable.
 *
 * @param <C> a sequence of elements
 */
sealed interface Run<C> {
  /** More visible elements are several runs in memory: a keystroke copies no more than these. */
  int MAX_ELEMENTS = 256;

  /** Runs whose dots have more spans together are not joined, for the same reason. */
  int MAX_SPANS = 64;

  /** Elements of more bytes are several runs in memory, so that a page holds no more than these. */
  int MAX_BYTES = 64 << 10;

  /** The elements' dots, in ascending order. */
  Dots ids();

  /** Whether the first element was inserted before another, and not after one. */
  boolean isBefore();

  /** How many elements a reader sees. */
  int visibleSize();

  /**
   * How many places these take in a Java sequence: characters of a string, of which a code point
   * may take two.
   */
  int visibleUnits();

  /**
   * How many bytes those of the visible elements have that are between two places. Those of texts
   * count as 0: their number says enough of what they take.
   */
  long visibleBytes(int from, int to);

  /** The elements from one place to before another. */
  Run<C> part(Content<C> content, int from, int to);

  /** Whether this run and the next are of one kind, so that they could be one but for their ids. */
  boolean isLike(Run<C> next);

  /** This run and the next, which it {@link #precedes}, as one. */
  Run<C> joined(Content<C> content, Run<C> next);

  /** This run as several that are not too large for memory. */
  List<Run<C>> pieces(Content<C> content);

  /** Elements that a reader sees. */
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

    /** Adds the places before which parts end that would otherwise take too many bytes. */
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
   * Tombstones: the elements are gone, but others may still come whose place is found by theirs.
   *
   * @param by for each element the transaction that deleted it, as a dot with index 0; of several
   *     the least
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

  /** Runs that each precede the next, at least one, as one. */
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
   * Whether this run and the next are one run, but for their size, if no dot of another run lies
   * between theirs.
   */
  default boolean precedes(Run<C> next) {
    return isLike(next)
        && !next.isBefore()
        && ids().canPrecede(next.ids())
        && ids().last().compareTo(next.ids().first()) < 0;
  }

  /** As {@link #visibleBytes(int, int)}, of all visible elements. */
  default long visibleBytes() {
    return visibleBytes(0, visibleSize());
  }

  /** Whether this run and the next are small enough together to be one in memory. */
  default boolean fitsWith(Run<C> next) {
    return fitsWith(next, Long.MAX_VALUE);
  }

  /**
   * As {@link #fitsWith(Run)}.
   *
   * @param most no less than {@link #visibleBytes}; if it is small, nobody has to sum those up
   */
  default boolean fitsWith(Run<C> next, long most) {
    if (visibleSize() > MAX_ELEMENTS - next.visibleSize()
        || spanCount() > MAX_SPANS - next.spanCount()) {
      return false;
    }
    long room = MAX_BYTES - next.visibleBytes();
    return most <= room || visibleBytes() <= room;
  }

  /** Whether this run is small enough to be one in memory. */
  default boolean fits() {
    return visibleSize() <= MAX_ELEMENTS
        && spanCount() <= MAX_SPANS
        && (visibleSize() <= 1 || visibleBytes() <= MAX_BYTES);
  }

  private int spanCount() {
    int others = this instanceof Deleted<C> tombstones ? tombstones.by.spanCount() : 0;
    return ids().spanCount() + others;
  }
}
