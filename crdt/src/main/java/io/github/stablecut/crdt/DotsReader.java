package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;

/**
 * Reads dots as {@link RgaStateCodec} describes, from bytes that may be anything: it takes room in
 * proportion to them, however many dots they claim. Confined to one thread.
 */
final class DotsReader {
  /** So that a time, which is below 2^63, can have a unit's multiple beside it. */
  private static final int MAX_UNIT = 62;

  private final Decoder in;
  private final int unit;
  private long bits;
  private boolean mark;

  /** Reads the unit. */
  DotsReader(Decoder in) {
    this.in = in;
    this.unit = in.readByte();
    if (unit > MAX_UNIT) {
      throw new FormatException("unit of time is at most 2^" + MAX_UNIT + ", not 2^" + unit);
    }
  }

  /** Reads the ids of elements, which ascend. */
  Dots readIds(long base) {
    long head = in.readUnsigned();
    mark = (head & 1) != 0;
    int steps = readStepCount((int) (head >>> 2) & 3);
    long time = readTime(base);
    int index = (head & 2) == 0 ? 0 : in.readIndex();
    if ((head & 2) != 0 && index == 0) {
      throw new FormatException("dots: index 0 is not written");
    }
    Dots ids = readSteps(dot(head >>> 4, time, index), steps, true);
    if (!ids.isAscending()) {
      throw new FormatException("dots of a run don't ascend: " + ids);
    }
    return ids;
  }

  /** Whether the ids that were read last are marked. */
  boolean isMarked() {
    return mark;
  }

  /** Reads transactions. */
  Dots readTransactions(long base, int size) {
    long head = in.readUnsigned();
    int steps = readStepCount((int) head & 3);
    Dots transactions = readSteps(dot(head >>> 2, readTime(base), 0), steps, false);
    if (transactions.size() != size) {
      throw new FormatException(
          size + " elements, but " + transactions.size() + " transactions that deleted them");
    }
    return transactions;
  }

  private int readStepCount(int few) {
    return few < 3 ? few : Math.addExact(3, in.readCount(1));
  }

  private long readTime(long base) {
    long time = base + times(in.readSigned());
    if (time < 0) {
      throw new FormatException("time is out of range: " + time);
    }
    return time;
  }

  private static Dot dot(long dataCentre, long time, int index) {
    boolean isSelf = dataCentre == 0;
    if (dataCentre > Integer.MAX_VALUE || (isSelf && time != Long.MAX_VALUE)) {
      throw new FormatException("no dot: data centre " + (dataCentre - 1) + ", time " + time);
    }
    return new Dot((int) dataCentre - 1, time, index);
  }

  private long times(long units) {
    bits |= units;
    long difference = units << unit;
    if (difference >> unit != units) {
      throw new FormatException("time is out of range: " + units + " * 2^" + unit);
    }
    return difference;
  }

  /**
   * Reads the steps of dots.
   *
   * @param isIds whether they are those of elements and have indexes
   */
  Dots readSteps(Dot first, int count, boolean isIds) {
    DotsBuilder dots = new DotsBuilder(first.dataCentre(), 1);
    dots.append(new DotSpan(first.time(), first.index(), 0, 0, 1));
    Dot from = first;
    DotSpan before = null;
    for (int i = 0; i < count; i++) {
      DotSpan step = readStep(from, isIds, Integer.MAX_VALUE - dots.size());
      if (before != null && before.hasSteps(step.timeStep(), step.indexStep())) {
        throw new FormatException("dots: equal steps are written apart, after " + from);
      }
      dots.append(step.part(1, step.size()));
      from = step.dot(step.size() - 1, from.dataCentre());
      before = step;
    }
    return dots.build();
  }

  /** Reads a step as the span that begins with the dot before it. */
  private DotSpan readStep(Dot from, boolean isIds, int maxRepeats) {
    long head = in.readUnsigned();
    long repeats = (head & 1) == 0 ? 1 : in.readUnsigned() + 2;
    long timeStep = times(head >>> 3 ^ -(head >>> 2 & 1));
    int usual = DotsWriter.usualIndexStep(timeStep, isIds);
    long indexStep = (head & 2) == 0 ? usual : in.readSigned();
    if ((head & 2) != 0 && (indexStep == usual || !isIds)) {
      throw new FormatException("dots: index step " + indexStep + " needs no or has no place");
    }
    if (repeats < 1 || repeats > maxRepeats) {
      throw new FormatException("dots: too many, after " + from);
    }
    boolean isInRange =
        Math.abs(timeStep) < Dots.MAX_STEP
            && reaches(from.time(), timeStep, repeats, Long.MAX_VALUE)
            && reaches(from.index(), indexStep, repeats, Integer.MAX_VALUE)
            && (timeStep == 0 || !from.isSelf());
    if (!isInRange) {
      throw new FormatException("dots: out of range after " + from);
    }
    return new DotSpan(from.time(), from.index(), timeStep, (int) indexStep, (int) repeats + 1);
  }

  /** Whether steps from a number lead to one from 0 to a greatest. */
  private static boolean reaches(long from, long step, long repeats, long greatest) {
    return step >= 0
        ? step <= (greatest - from) / repeats
        : step != Long.MIN_VALUE && -step <= from / repeats;
  }

  /** Refuses what was read if its times could have been in a greater unit. */
  void checkUnit() {
    if (DotsWriter.unitOf(bits << unit) != unit) {
      throw new FormatException("unit of time is 2^" + unit + ", but a greater one fits");
    }
  }
}
