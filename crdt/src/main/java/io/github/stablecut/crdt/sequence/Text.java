package io.github.stablecut.crdt.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.Reference;
import io.github.stablecut.crdt.internal.sequence.Dots;
import io.github.stablecut.crdt.internal.sequence.Elements;
import io.github.stablecut.crdt.internal.sequence.Run;
import io.github.stablecut.crdt.internal.sequence.Run.Visible;
import io.github.stablecut.crdt.internal.sequence.RunTree;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A text as a reader at a snapshot sees it, or a part of one: a view that shares the memory of the
 * state. Immutable and thread-safe: later changes never affect it, and it stays valid while
 * referenced.
 *
 * <p>As a {@link CharSequence} it is indexed by {@code char}, like a string. The operations on
 * texts count Unicode code points, as do the methods here with code points in their names or
 * descriptions. Each access takes logarithmic time; iterating to the next character takes constant
 * time.
 *
 * <p>Two texts are equal if they have the same characters. A text never equals a string: use {@link
 * #contentEquals} or {@link #toString} to compare them.
 */
public final class Text implements CharSequence {
  private static final Dot FIRST = new Dot(0, 1, 0);

  private final RunTree<String> tree;

  /** The visible part, as {@code char} indexes of the whole text. */
  private final int begin;

  private final int end;

  /**
   * The last accessed run. Accessed without a lock: a thread that misses another's write searches.
   */
  private @Nullable Window window;

  private int hash;

  /** A run and the index of its first character in the whole text. */
  private record Window(int begin, String characters) {
    boolean contains(int index) {
      return index >= begin && index - begin < characters.length();
    }
  }

  private Text(RunTree<String> tree, int begin, int end) {
    this.tree = tree;
    this.begin = begin;
    this.end = end;
  }

  /**
   * Creates a text, to compare others with.
   *
   * @throws IllegalArgumentException if the characters have an unpaired surrogate
   */
  public static Text of(CharSequence characters) {
    RgaText type = RgaText.TYPE;
    String whole = characters.toString();
    Rga.Insert<String> insert = (Rga.Insert<String>) RgaText.insert(0, whole);
    int size = whole.codePointCount(0, whole.length());
    if (size == 0) {
      return of(type.initial().elements());
    }
    Dots ids = Dots.following(FIRST, size);
    return of(type.initial().elements().insert(Reference.BEGINNING, ids, insert.elements()));
  }

  static Text of(Elements<String> elements) {
    return new Text(elements.tree(), 0, elements.tree().visibleUnits());
  }

  /** The number of {@code char} values. */
  @Override
  public int length() {
    return end - begin;
  }

  @Override
  public boolean isEmpty() {
    return begin == end;
  }

  @Override
  public char charAt(int index) {
    Objects.checkIndex(index, length());
    Window at = windowAt(begin + index);
    return at.characters.charAt(begin + index - at.begin);
  }

  private Window windowAt(int index) {
    Window last = window;
    if (last != null && last.contains(index)) {
      return last;
    }
    RunTree.RunPosition<String> run = tree.runOfUnit(index);
    Window found = new Window(run.unitsBefore(), charactersOf(run.run()));
    window = found;
    return found;
  }

  private static String charactersOf(Run<String> run) {
    return run instanceof Visible<String> visible ? visible.elements() : "";
  }

  /** A view of a part, in {@code char} indexes. */
  @Override
  public Text subSequence(int from, int to) {
    Objects.checkFromToIndex(from, to, length());
    return new Text(tree, begin + from, begin + to);
  }

  /** The number of Unicode code points, the unit of positions. */
  public int codePointCount() {
    return isEmpty() ? 0 : pointsBefore(end) - pointsOutside();
  }

  /**
   * The code point at a position.
   *
   * @param position the number of code points before it
   * @throws IndexOutOfBoundsException if there is no such position
   */
  public int codePointAt(int position) {
    return Character.codePointAt(this, indexOf(Objects.checkIndex(position, codePointCount())));
  }

  /**
   * A view of a part, in code points.
   *
   * @param from the number of code points before the part
   * @param to the number of code points before its end
   * @throws IndexOutOfBoundsException if the text has fewer code points
   */
  public Text slice(int from, int to) {
    Objects.checkFromToIndex(from, to, codePointCount());
    return subSequence(indexOf(from), indexOf(to));
  }

  /** The {@code char} index in this part of a position in code points. */
  private int indexOf(int position) {
    int inWhole = pointsOutside() + position;
    // Half of a surrogate pair at either end counts as a code point.
    return Math.min(length(), Math.max(0, unitsBefore(inWhole) - begin));
  }

  /** The number of {@code char} values of the whole text before a code point of it. */
  private int unitsBefore(int inWhole) {
    if (inWhole == tree.visibleSize()) {
      return tree.visibleUnits();
    }
    if (isOneUnitEach()) {
      return inWhole;
    }
    RunTree.RunPosition<String> run = tree.runOfElement(inWhole);
    int inRun = charactersOf(run.run()).offsetByCodePoints(0, inWhole - run.elementsBefore());
    return run.unitsBefore() + inRun;
  }

  /** The number of code points of the whole text that begin before an index. */
  private int pointsBefore(int index) {
    if (index == tree.visibleUnits()) {
      return tree.visibleSize();
    }
    if (isOneUnitEach() || index == 0) {
      return index;
    }
    RunTree.RunPosition<String> run = tree.runOfUnit(index);
    return run.elementsBefore()
        + charactersOf(run.run()).codePointCount(0, index - run.unitsBefore());
  }

  /** Whether the text has no surrogate pairs, so that positions equal indexes. */
  private boolean isOneUnitEach() {
    return tree.visibleUnits() == tree.visibleSize();
  }

  /**
   * The number of code points of the whole text that end before this part, which may begin in the
   * middle of one.
   */
  private int pointsOutside() {
    boolean isSplit =
        !isOneUnitEach()
            && begin > 0
            && begin < tree.visibleUnits()
            && Character.isLowSurrogate(whole().charAt(begin))
            && Character.isHighSurrogate(whole().charAt(begin - 1));
    return pointsBefore(begin) - (isSplit ? 1 : 0);
  }

  private Text whole() {
    return new Text(tree, 0, tree.visibleUnits());
  }

  /** Whether a sequence has the same characters. */
  public boolean contentEquals(CharSequence other) {
    return length() == other.length() && CharSequence.compare(this, other) == 0;
  }

  @Override
  public boolean equals(Object other) {
    return this == other || (other instanceof Text that && contentEquals(that));
  }

  /** The hash code of a string with the same characters. */
  @Override
  public int hashCode() {
    int cached = hash;
    if (cached == 0) {
      cached = toString().hashCode();
      hash = cached;
    }
    return cached;
  }

  /** Copies the characters to a string. */
  @Override
  public String toString() {
    StringBuilder characters = new StringBuilder(length());
    for (int at = begin; at < end; ) {
      Window next = windowAt(at);
      int stop = Math.min(end, next.begin + next.characters.length());
      characters.append(next.characters, at - next.begin, stop - next.begin);
      at = stop;
    }
    return characters.toString();
  }
}
