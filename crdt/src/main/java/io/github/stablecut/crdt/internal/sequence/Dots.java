package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * A sequence of dots of one data centre: the ids of adjacent elements, or of the transactions that
 * deleted them. Immutable.
 *
 * <p>The sequence is stored as spans of equal steps. Each span is as long as possible from left to
 * right, so equal sequences have equal spans. A pasted text is one span, whatever its length; the
 * worst case is one span per two dots.
 */
public final class Dots {
  /**
   * The times of two neighbours differ by less than this (8 years) in either direction, which
   * leaves bits for flags next to an encoded step.
   */
  static final long MAX_STEP = 1L << 59;

  /** Visits the steps of a sequence. */
  public interface StepVisitor {
    /** Visits a step that occurs exactly {@code repeats} times in a row. */
    void visit(long timeStep, int indexStep, int repeats);
  }

  private final Dot first;
  private final int size;
  private final DotSpan[] spans;

  private Dots(Dot first, int size, DotSpan... spans) {
    this.first = first;
    this.size = size;
    this.spans = spans;
  }

  /** For {@link DotsBuilder}, which makes each span as long as possible. */
  static Dots ofLongestSpans(int dataCentre, int size, DotSpan[] spans) {
    return new Dots(spans[0].dot(0, dataCentre), size, spans);
  }

  /** Copies the spans, with free slots for more. */
  DotSpan[] spansWithCapacity(int additional) {
    return Arrays.copyOf(spans, spans.length + additional);
  }

  /** A dot and its successors in the same transaction. */
  public static Dots following(Dot first, int size) {
    int step = size == 1 ? 0 : 1;
    return new Dots(first, size, new DotSpan(first.time(), first.index(), 0, step, size));
  }

  /** One dot, repeated. */
  public static Dots repeated(Dot dot, int times) {
    return new Dots(dot, times, new DotSpan(dot.time(), dot.index(), 0, 0, times));
  }

  /** Concatenates sequences into as few as possible. */
  static List<Dots> joined(List<Dots> parts) {
    List<Dots> joined = new ArrayList<>();
    int from = 0;
    for (int i = 1; i <= parts.size(); i++) {
      if (i == parts.size() || !parts.get(i - 1).canPrecede(parts.get(i))) {
        DotsBuilder group = new DotsBuilder(parts.get(from).dataCentre(), i - from);
        parts.subList(from, i).forEach(group::append);
        joined.add(group.build());
        from = i;
      }
    }
    return joined;
  }

  public int size() {
    return size;
  }

  int dataCentre() {
    return first.dataCentre();
  }

  public Dot first() {
    return first;
  }

  Dot last() {
    DotSpan span = spans[spans.length - 1];
    return span.dot(span.size() - 1, dataCentre());
  }

  public Dot get(int i) {
    int number = 0;
    int rest = i;
    while (rest >= spans[number].size()) {
      rest -= spans[number++].size();
    }
    return spans[number].dot(rest, dataCentre());
  }

  public int spanCount() {
    return spans.length;
  }

  DotSpan span(int number) {
    return spans[number];
  }

  /**
   * The position of the greatest dot at or below another; -1 if there is none. These dots must
   * ascend.
   */
  int floor(Dot dot) {
    int start = size;
    for (int number = spans.length - 1; number >= 0; number--) {
      start -= spans[number].size();
      int count = spans[number].countUpTo(dot, dataCentre());
      if (count > 0) {
        return start + count - 1;
      }
    }
    return -1;
  }

  /** The number of dots at or below a vector. These dots must ascend. */
  public int countAtOrBefore(VectorClock vector) {
    return first.isSelf()
        ? 0
        : floor(new Dot(dataCentre(), vector.get(dataCentre()), Integer.MAX_VALUE)) + 1;
  }

  /** A lower bound of the number of equal dots from a position on, found in one span. */
  int countEqual(int from) {
    int number = 0;
    int rest = from;
    while (rest >= spans[number].size()) {
      rest -= spans[number++].size();
    }
    return spans[number].hasSteps(0, 0) ? spans[number].size() - rest : 1;
  }

  /**
   * A lower bound of the number of dots that match a span, from a position here and one in the
   * span. The first dots must be equal; looks at one span here only.
   */
  int countAlike(int from, DotSpan other, int otherFrom) {
    int number = 0;
    int rest = from;
    while (rest >= spans[number].size()) {
      rest -= spans[number++].size();
    }
    return spans[number].hasSteps(other.timeStep(), other.indexStep())
        ? Math.min(spans[number].size() - rest, other.size() - otherFrom)
        : 1;
  }

  /** Whether each dot is greater than the one before it. */
  boolean isAscending() {
    boolean[] ascending = {true};
    forEachStep(
        (timeStep, indexStep, repeats) ->
            ascending[0] &= timeStep > 0 || (timeStep == 0 && indexStep > 0));
    return ascending[0];
  }

  /**
   * Whether another sequence may be appended: it has the same data centre, and neither the step nor
   * the total size is too large.
   */
  public boolean canPrecede(Dots next) {
    DotSpan span = spans[spans.length - 1];
    long step = next.first.time() - span.time(span.size() - 1);
    return dataCentre() == next.dataCentre()
        && size <= Integer.MAX_VALUE - next.size
        && step < MAX_STEP
        && step > -MAX_STEP;
  }

  /** Appends other dots. */
  Dots plus(Dots next) {
    DotsBuilder both = new DotsBuilder(this, next.spans.length);
    both.append(next);
    return both.build();
  }

  /** The dots from one position (inclusive) to another (exclusive). */
  Dots part(int from, int to) {
    if (from == 0 && to == size) {
      return this;
    }
    DotsBuilder part = new DotsBuilder(dataCentre(), spans.length);
    int start = 0;
    for (DotSpan span : spans) {
      int begin = Math.max(from - start, 0);
      int end = Math.min(to - start, span.size());
      if (begin < end) {
        part.append(span.part(begin, end));
      }
      start += span.size();
    }
    return part.build();
  }

  /**
   * Cuts the sequence before each of some positions, in time proportional to the whole.
   *
   * @param ends the ends of the parts, above 0 and ascending; the last is the size
   */
  List<Dots> cut(Collection<Integer> ends) {
    List<Dots> parts = new ArrayList<>(ends.size());
    int number = 0;
    int taken = 0;
    int from = 0;
    for (int end : ends) {
      DotsBuilder part = new DotsBuilder(dataCentre(), 1);
      while (from < end) {
        DotSpan span = spans[number];
        int to = taken + Math.min(span.size() - taken, end - from);
        part.append(span.part(taken, to));
        from += to - taken;
        boolean isSpanExhausted = to == span.size();
        number += isSpanExhausted ? 1 : 0;
        taken = isSpanExhausted ? 0 : to;
      }
      parts.add(part.build());
    }
    return parts;
  }

  /** Replaces the self dots of an effect's transaction with its committed dots. */
  public Dots resolve(EffectOrigin origin) {
    if (!first.isSelf()) {
      return this;
    }
    Dot resolved = origin.resolve(first);
    DotSpan[] changed = new DotSpan[spans.length];
    for (int i = 0; i < spans.length; i++) {
      DotSpan span = spans[i];
      changed[i] = new DotSpan(resolved.time(), span.index(), 0, span.indexStep(), span.size());
    }
    return new Dots(resolved, size, changed);
  }

  /** Adds the end positions of every {@code every}-th span and of the last span. */
  void addEnds(Collection<Integer> ends, int every) {
    int end = 0;
    for (int number = 1; number <= spans.length; number++) {
      end += spans[number - 1].size();
      if (number % every == 0 || number == spans.length) {
        ends.add(end);
      }
    }
  }

  /** Visits the steps from the first dot to the last; consecutive equal steps are one visit. */
  public void forEachStep(StepVisitor visitor) {
    DotSpan span = spans[0];
    visit(visitor, span, span.size() - 1);
    for (int number = 1; number < spans.length; number++) {
      DotSpan next = spans[number];
      long timeStep = next.time() - span.time(span.size() - 1);
      int indexStep = next.index() - span.index(span.size() - 1);
      if (next.size() > 1 && next.hasSteps(timeStep, indexStep)) {
        visit(visitor, next, next.size());
      } else {
        visitor.visit(timeStep, indexStep, 1);
        visit(visitor, next, next.size() - 1);
      }
      span = next;
    }
  }

  private static void visit(StepVisitor visitor, DotSpan span, int repeats) {
    if (repeats > 0) {
      visitor.visit(span.timeStep(), span.indexStep(), repeats);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Dots that
        && first.equals(that.first)
        && Arrays.equals(spans, that.spans);
  }

  @Override
  public int hashCode() {
    return 31 * first.hashCode() + Arrays.hashCode(spans);
  }

  @Override
  public String toString() {
    return size == 1 ? first.toString() : first + " to " + last() + " (" + size + ")";
  }
}
