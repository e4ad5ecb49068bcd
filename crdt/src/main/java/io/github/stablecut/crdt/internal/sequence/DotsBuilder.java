package io.github.stablecut.crdt.internal.sequence;

import java.util.Arrays;

/** Builds a sequence of dots, extending the last span where possible. Confined to one thread. */
final class DotsBuilder {
  private final int dataCentre;
  private DotSpan[] spans;
  private int count;
  private int size;

  /**
   * @param expectedSpans the initial capacity in spans
   */
  DotsBuilder(int dataCentre, int expectedSpans) {
    this.dataCentre = dataCentre;
    this.spans = new DotSpan[expectedSpans];
  }

  /**
   * Begins with existing dots.
   *
   * @param additionalSpans the capacity for more spans
   */
  DotsBuilder(Dots dots, int additionalSpans) {
    this.dataCentre = dots.dataCentre();
    this.spans = dots.spansWithCapacity(additionalSpans);
    this.count = dots.spanCount();
    this.size = dots.size();
  }

  void append(Dots dots) {
    for (int number = 0; number < dots.spanCount(); number++) {
      append(dots.span(number));
    }
  }

  void append(DotSpan span) {
    size += span.size();
    if (count == 0) {
      push(span);
      return;
    }
    DotSpan tail = spans[count - 1];
    long timeStep = span.time() - tail.time(tail.size() - 1);
    int indexStep = span.index() - tail.index(tail.size() - 1);
    if (tail.size() > 1 && !tail.hasSteps(timeStep, indexStep)) {
      push(span);
      return;
    }
    boolean whole = span.size() == 1 || span.hasSteps(timeStep, indexStep);
    int taken = whole ? span.size() : 1;
    spans[count - 1] =
        new DotSpan(tail.time(), tail.index(), timeStep, indexStep, tail.size() + taken);
    if (!whole) {
      push(span.part(1, span.size()));
    }
  }

  private void push(DotSpan span) {
    if (count == spans.length) {
      spans = Arrays.copyOf(spans, 2 * count + 1);
    }
    spans[count++] = span;
  }

  int size() {
    return size;
  }

  /** The dots appended so far, at least one. */
  Dots build() {
    return Dots.ofLongestSpans(
        dataCentre, size, count == spans.length ? spans : Arrays.copyOf(spans, count));
  }
}
