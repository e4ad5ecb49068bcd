package io.github.stablecut.crdt.internal.sequence;

import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.internal.sequence.Run.Deleted;
import io.github.stablecut.crdt.internal.sequence.Run.Visible;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes and decodes runs of a list or text, from left to right: all runs of a state, each as long
 * as possible, or the runs of a leaf in a page. Thread-safe.
 *
 * <pre>
 *   content   the visible elements: a text as the length and bytes of its UTF-8, a list as the number of
 *             its elements, then the length and bytes of each
 *   count     unsigned: the number of runs. If 0, nothing follows
 *   base      unsigned: the time of the first dot
 *   unit      1 byte: 128 + u: the times below are in units of 2^u, the greatest that divides them all;
 *             plus 64 if a run was inserted before another element
 *   low bits  1 byte: one less than the number of bits that suffice for at least half of the steps'
 *             numbers, at least 0
 *   runs      one after the other:
 *     head    unsigned: bit 0     set if the elements are deleted
 *                       bit 1     set if the index of the first dot is not 0
 *                       bits 2-3  the number of steps, 3 if there are 3 or more
 *                       bit 4     if the unit is plus 64: set if the run was inserted before another
 *                                 element. The data centre then begins at bit 5
 *                       bits 4-   the data centre + 1
 *     more    unsigned: the number of steps - 3, if there are 3 or more
 *     time    signed: from the last dot of the previous run (at first the base) to the first dot
 *     index   unsigned: the index of the first dot, if bit 1 is set
 *     steps   from dot to dot, as below
 *     if deleted, the deleting transactions, one for each element:
 *       head  unsigned: bits 0-1  the number of steps, 3 if there are 3 or more
 *                       bits 2-   the data centre + 1
 *       more  unsigned: the number of steps - 3, if there are 3 or more
 *       time  signed: from the last dot of the run to the first transaction
 *       steps
 *   steps     a string of bits, high bits first, padded to whole bytes with zeros. Consecutive equal steps
 *             are one. For each:
 *     number  the time step; for transactions n as 2n and -n as 2n - 1. If the part above the low bits
 *             is below 7: that many ones, a zero, and the low bits. Otherwise 7 ones, the number of
 *             bits after the highest one bit in 6 bits, and those bits
 *     flag    1 bit: 0 if the step occurs once and its index step is the usual one. Then nothing follows
 *     index   1 bit: 1 if the index step is not the usual one, which is 1 between dots of the same
 *             time, 0 between dots of different times, and always 0 for transactions
 *     repeats how often the step occurs, as a gamma code (Elias 1975): as many ones as there are bits
 *             after the highest one bit, a zero, and those bits
 *     step    the index step, if it is not the usual one: n as 2n + 1 and -n as 2n, as a gamma code
 * </pre>
 *
 * <p>This is version 2, or 3 with sides. Version 1 can also be read: the byte of the unit is u,
 * there are no low bits, and steps are encoded as in an effect ({@code RgaEffectCodec}).
 *
 * <p>Continuous typing of any length takes 5 to 8 bytes besides the text if keystrokes are
 * committed at equal clock steps. Irregular steps add about as many bits per keystroke as the step
 * has, plus two.
 */
public final class RunsCodec<C> {
  private static final int MIN_RUN_BYTES = 2;

  private final String name;
  private final Content<C> content;

  /**
   * @param name the name of the type, for messages
   */
  public RunsCodec(String name, Content<C> content) {
    this.name = name;
    this.content = content;
  }

  public Content<C> content() {
    return content;
  }

  public void write(List<Run<C>> runs, Encoder out) {
    List<C> parts = new ArrayList<>();
    for (Run<C> run : runs) {
      if (run instanceof Visible<C> visible) {
        parts.add(visible.elements());
      }
    }
    content.write(content.joined(parts), out);
    out.writeUnsigned(runs.size());
    if (runs.isEmpty()) {
      return;
    }
    long base = runs.get(0).ids().first().time();
    int unit = DotsWriter.unitOf(bitsOfTimes(runs, base));
    int lowBits = sizesOfSteps(runs, unit).lowBits();
    out.writeUnsigned(base);
    boolean hasSides = runs.stream().anyMatch(Run::isBefore);
    out.writeByte(DotsReader.STEPS_AS_BITS + (hasSides ? DotsReader.WITH_SIDES : 0) + unit);
    out.writeByte(lowBits);
    DotsWriter dots = new DotsWriter(out, unit, lowBits, hasSides);
    long before = base;
    for (Run<C> run : runs) {
      int deleted = run instanceof Deleted<C> ? 1 : 0;
      dots.writeIds(run.ids(), deleted, run.isBefore(), before);
      before = run.ids().last().time();
      if (run instanceof Deleted<C> tombstones) {
        dots.writeTransactions(tombstones.by(), before);
      }
    }
  }

  private static <C> long bitsOfTimes(List<Run<C>> runs, long base) {
    long bits = 0;
    long before = base;
    for (Run<C> run : runs) {
      bits |= DotsWriter.bitsOf(run.ids(), before);
      before = run.ids().last().time();
      if (run instanceof Deleted<C> tombstones) {
        bits |= DotsWriter.bitsOf(tombstones.by(), before);
      }
    }
    return bits;
  }

  private static <C> StepSizes sizesOfSteps(List<Run<C>> runs, int unit) {
    StepSizes sizes = new StepSizes();
    for (Run<C> run : runs) {
      DotsWriter.addSizes(run.ids(), true, unit, sizes);
      if (run instanceof Deleted<C> tombstones) {
        DotsWriter.addSizes(tombstones.by(), false, unit, sizes);
      }
    }
    return sizes;
  }

  public List<Run<C>> read(Decoder in) {
    C visible = content.read(in);
    int remaining = content.size(visible);
    Content.Cutter<C> cutter = content.cutter(visible);
    int count = in.readCount(MIN_RUN_BYTES);
    List<Run<C>> runs = new ArrayList<>(count);
    if (count > 0) {
      long before = in.readUnsigned();
      DotsReader dots = DotsReader.ofState(in);
      long size = 0;
      for (int i = 0; i < count; i++) {
        Dots ids = dots.readIds(before);
        check(i > 0 || ids.first().time() == before, "the base must be the time of the first dot");
        boolean isBefore = dots.isBefore();
        before = ids.last().time();
        size += ids.size();
        if (dots.isMarked()) {
          runs.add(new Deleted<>(ids, dots.readTransactions(before, ids.size()), isBefore));
        } else {
          remaining -= ids.size();
          check(remaining >= 0, "fewer elements than dots");
          runs.add(new Visible<>(ids, cutter.next(ids.size()), isBefore));
        }
      }
      check(size <= Integer.MAX_VALUE, "more than 2^31 elements");
      dots.checkUnit();
    }
    check(remaining == 0, "more elements than dots");
    return runs;
  }

  public void check(boolean condition, String otherwise) {
    if (!condition) {
      throw new FormatException(name + ": " + otherwise);
    }
  }
}
