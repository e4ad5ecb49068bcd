package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.FormatException;

/**
 * Reads dots in the format of {@code RgaStateCodec} and {@code RgaEffectCodec} from untrusted
 * bytes: memory is proportional to the bytes, however many dots they claim to have. Confined to one
 * thread.
 */
public final class DotsReader {
  /** The greatest exponent of the unit: times are below 2^63. */
  private static final int MAX_UNIT = 62;

  /** A flag in the byte of the unit: steps are written as bits. */
  static final int STEPS_AS_BITS = 0x80;

  /** A flag in the byte of the unit: some runs of the state were inserted before other elements. */
  static final int WITH_SIDES = 0x40;

  private final Decoder in;
  private final int unit;

  /** The number of low bits of a step; negative if steps are written as bytes. */
  private final int lowBits;

  private final StepSizes sizes = new StepSizes();
  private long bits;
  private boolean mark;

  /** Whether heads have a bit for runs inserted before another element. */
  private final boolean hasSides;

  private boolean isBefore;
  private boolean hasAnyBefore;

  /** A step as encoded. */
  private record Step(long units, long repeats, boolean isUnusual, long indexStep) {}

  private DotsReader(Decoder in, int unit, int lowBits, boolean hasSides) {
    this.hasSides = hasSides;
    this.in = in;
    this.unit = unit;
    this.lowBits = lowBits;
    if (unit > MAX_UNIT) {
      throw new FormatException(
          "the unit of time must be at most 2^" + MAX_UNIT + ", not 2^" + unit);
    }
    if (lowBits >= Long.SIZE) {
      throw new FormatException("a step has at most 63 low bits, not " + lowBits);
    }
  }

  /** Reads the unit of an effect, which has its steps as bytes. */
  public static DotsReader ofEffect(Decoder in) {
    return new DotsReader(in, in.readByte(), -1, false);
  }

  /** Reads the unit and the number of low bits of a state. */
  static DotsReader ofState(Decoder in) {
    int unit = in.readByte();
    if (unit < STEPS_AS_BITS) {
      return new DotsReader(in, unit, -1, false);
    }
    return unit < STEPS_AS_BITS + WITH_SIDES
        ? new DotsReader(in, unit - STEPS_AS_BITS, in.readByte(), false)
        : new DotsReader(in, unit - STEPS_AS_BITS - WITH_SIDES, in.readByte(), true);
  }

  /** Reads the ids of elements, which ascend. */
  Dots readIds(long base) {
    long head = in.readUnsigned();
    mark = (head & 1) != 0;
    int steps = readStepCount((int) (head >>> 2) & 3);
    long time = readTime(base);
    int index = (head & 2) == 0 ? 0 : in.readIndex();
    if ((head & 2) != 0 && index == 0) {
      throw new FormatException("dots: index 0 must be omitted");
    }
    isBefore = hasSides && (head & 16) != 0;
    hasAnyBefore |= isBefore;
    Dots ids = readSteps(dot(head >>> (hasSides ? 5 : 4), time, index), steps, true);
    if (!ids.isAscending()) {
      throw new FormatException("the dots of a run don't ascend: " + ids);
    }
    return ids;
  }

  /** Whether the last ids read are marked. */
  boolean isMarked() {
    return mark;
  }

  /** Whether the first element of the last ids read was inserted before another element. */
  boolean isBefore() {
    return isBefore;
  }

  /** Reads the transactions that deleted elements. */
  Dots readTransactions(long base, int size) {
    long head = in.readUnsigned();
    int steps = readStepCount((int) head & 3);
    Dots transactions = readSteps(dot(head >>> 2, readTime(base), 0), steps, false);
    if (transactions.size() != size) {
      throw new FormatException(
          size + " elements, but " + transactions.size() + " deleting transactions");
    }
    return transactions;
  }

  private int readStepCount(int few) {
    if (few < 3) {
      return few;
    }
    int more = lowBits < 0 ? in.readCount(1) : in.readIndex();
    if (more > Integer.MAX_VALUE - few) {
      throw new FormatException("dots: too many steps: " + more);
    }
    return few + more;
  }

  private long readTime(long base) {
    long time = base + times(in.readSigned());
    if (time < 0) {
      throw new FormatException("the time is out of range: " + time);
    }
    return time;
  }

  private static Dot dot(long dataCentre, long time, int index) {
    boolean isSelf = dataCentre == 0;
    if (dataCentre > Integer.MAX_VALUE || (isSelf && time != Long.MAX_VALUE)) {
      throw new FormatException("not a dot: data centre " + (dataCentre - 1) + ", time " + time);
    }
    return new Dot((int) dataCentre - 1, time, index);
  }

  private long times(long units) {
    bits |= units;
    long difference = units << unit;
    if (difference >> unit != units) {
      throw new FormatException("the time is out of range: " + units + " * 2^" + unit);
    }
    return difference;
  }

  /**
   * Reads the steps of dots.
   *
   * @param isIds whether they are ids of elements, which have indexes
   */
  public Dots readSteps(Dot first, int count, boolean isIds) {
    BitReader packed = lowBits < 0 ? null : new BitReader(in);
    DotsBuilder dots = new DotsBuilder(first.dataCentre(), 1);
    dots.append(new DotSpan(first.time(), first.index(), 0, 0, 1));
    Dot from = first;
    DotSpan before = null;
    for (int i = 0; i < count; i++) {
      Step next = packed == null ? readStep() : readStep(packed, isIds);
      DotSpan step = spanFrom(from, next, isIds, Integer.MAX_VALUE - dots.size());
      if (before != null && before.hasSteps(step.timeStep(), step.indexStep())) {
        throw new FormatException("dots: consecutive equal steps must be one, after " + from);
      }
      dots.append(step.part(1, step.size()));
      from = step.dot(step.size() - 1, from.dataCentre());
      before = step;
    }
    if (packed != null) {
      packed.finish();
    }
    return dots.build();
  }

  private Step readStep() {
    long head = in.readUnsigned();
    long repeats = (head & 1) == 0 ? 1 : in.readUnsigned() + 2;
    boolean isUnusual = (head & 2) != 0;
    return new Step(
        head >>> 3 ^ -(head >>> 2 & 1), repeats, isUnusual, isUnusual ? in.readSigned() : 0);
  }

  private Step readStep(BitReader packed, boolean isIds) {
    long number = readNumber(packed);
    sizes.add(number);
    long units = isIds ? number : number >>> 1 ^ -(number & 1);
    if (packed.read(1) == 0) {
      return new Step(units, 1, false, 0);
    }
    boolean isUnusual = packed.read(1) == 1;
    long repeats = packed.readGamma();
    if (!isUnusual && repeats == 1) {
      throw new FormatException("dots: a usual step is encoded as an unusual one");
    }
    if (!isUnusual) {
      return new Step(units, repeats, false, 0);
    }
    long zigzag = packed.readGamma() - 1;
    return new Step(units, repeats, true, zigzag >>> 1 ^ -(zigzag & 1));
  }

  private long readNumber(BitReader packed) {
    int ones = packed.readUnary(DotsWriter.MAX_ONES);
    if (ones < DotsWriter.MAX_ONES) {
      long high = (long) ones << lowBits;
      if (high < 0 || high >>> lowBits != ones) {
        throw new FormatException("dots: a step is out of range");
      }
      return high | packed.read(lowBits);
    }
    int length = (int) packed.read(DotsWriter.LENGTH_BITS);
    long number = 1L << length | packed.read(length);
    if (number < 0 || number >>> lowBits < DotsWriter.MAX_ONES) {
      throw new FormatException("dots: a small step is encoded as a large one: " + number);
    }
    return number;
  }

  /** Converts a step to a span that begins with the dot before the step. */
  private DotSpan spanFrom(Dot from, Step step, boolean isIds, int maxRepeats) {
    long timeStep = times(step.units);
    int usual = DotsWriter.usualIndexStep(timeStep, isIds);
    long indexStep = step.isUnusual ? step.indexStep : usual;
    if (step.isUnusual && (indexStep == usual || !isIds)) {
      throw new FormatException("dots: index step " + indexStep + " must be omitted");
    }
    long repeats = step.repeats;
    if (repeats < 1 || repeats > maxRepeats) {
      throw new FormatException("dots: the number of repeats is out of range, after " + from);
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

  /** Whether {@code repeats} steps from a number end between 0 and {@code greatest}. */
  private static boolean reaches(long from, long step, long repeats, long greatest) {
    return step >= 0
        ? step <= (greatest - from) / repeats
        : step != Long.MIN_VALUE && -step <= from / repeats;
  }

  /**
   * Rejects the input if the writer would have chosen a greater unit, or a different number of low
   * bits.
   */
  public void checkUnit() {
    if (hasSides && !hasAnyBefore) {
      throw new FormatException(
          "dots: the format with sides is used, but no run is before another element");
    }
    if (lowBits >= 0 && sizes.lowBits() != lowBits) {
      throw new FormatException(
          "steps have " + lowBits + " low bits, but should have " + sizes.lowBits());
    }
    if (DotsWriter.unitOf(bits << unit) != unit) {
      throw new FormatException("the unit of time is 2^" + unit + ", but a greater one fits");
    }
  }
}
