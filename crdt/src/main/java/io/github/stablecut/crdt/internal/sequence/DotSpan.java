package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.causality.Dot;

/**
 * Dots of one data centre with equal steps between neighbours: the dots of one transaction, which
 * are one index apart, or of keystrokes committed at equal intervals. Immutable.
 *
 * @param time the time of the first dot
 * @param index the index of the first dot
 * @param timeStep the difference between neighbouring times; 0 if there is only one dot
 * @param indexStep the difference between neighbouring indexes; 0 if there is only one dot
 * @param size the number of dots, above 0
 */
record DotSpan(long time, int index, long timeStep, int indexStep, int size) {
  long time(int i) {
    return time + i * timeStep;
  }

  int index(int i) {
    return index + i * indexStep;
  }

  Dot dot(int i, int dataCentre) {
    return new Dot(dataCentre, time(i), index(i));
  }

  boolean hasSteps(long otherTimeStep, int otherIndexStep) {
    return timeStep == otherTimeStep && indexStep == otherIndexStep;
  }

  /** The dots from one position (inclusive) to another (exclusive). */
  DotSpan part(int from, int to) {
    return to - from == 1
        ? new DotSpan(time(from), index(from), 0, 0, 1)
        : new DotSpan(time(from), index(from), timeStep, indexStep, to - from);
  }

  /** The same dots in ascending order, without duplicates. */
  DotSpan ascending() {
    if (timeStep < 0 || (timeStep == 0 && indexStep < 0)) {
      return new DotSpan(time(size - 1), index(size - 1), -timeStep, -indexStep, size);
    }
    return hasSteps(0, 0) ? part(0, 1) : this;
  }

  /**
   * The number of dots at or below {@code dot}. These dots must ascend and belong to {@code
   * dataCentre}.
   */
  int countUpTo(Dot dot, int dataCentre) {
    if (isAbove(dot, dataCentre, 0)) {
      return 0;
    }
    if (timeStep == 0) {
      boolean all = time < dot.time() || dataCentre < dot.dataCentre() || indexStep == 0;
      return all ? size : Math.min(size - 1, (dot.index() - index) / indexStep) + 1;
    }
    long steps = (dot.time() - time) / timeStep;
    if (steps >= size) {
      return size;
    }
    return isAbove(dot, dataCentre, (int) steps) ? (int) steps : (int) steps + 1;
  }

  /**
   * The number of dots below {@code dot}. These dots must ascend and belong to {@code dataCentre}.
   */
  int countBelow(Dot dot, int dataCentre) {
    int count = countUpTo(dot, dataCentre);
    return count > 0 && dot(count - 1, dataCentre).equals(dot) ? count - 1 : count;
  }

  private boolean isAbove(Dot dot, int dataCentre, int i) {
    long own = time(i);
    if (own != dot.time()) {
      return own > dot.time();
    }
    return dataCentre == dot.dataCentre() ? index(i) > dot.index() : dataCentre > dot.dataCentre();
  }
}
