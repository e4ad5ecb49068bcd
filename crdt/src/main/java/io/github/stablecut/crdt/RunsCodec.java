package io.github.stablecut.crdt;

import io.github.stablecut.crdt.Run.Deleted;
import io.github.stablecut.crdt.Run.Visible;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of some runs of a list or text, from left to right: of all, as long as they can be, in
 * the bytes of a state, or of those of a leaf in a page. Thread-safe.
 *
 * <pre>
 *   content   what is visible: a text as the length and bytes of its UTF-8, a list as the number of
 *             its elements and the length and bytes of each
 *   count     unsigned: the number of runs. If it is 0 that is all
 *   base      unsigned: the time of the first dot
 *   unit      1 byte: 128 + u, times below are in units of 2^u, the greatest that divides them all;
 *             64 more if a run was inserted before another element
 *   low bits  1 byte: one less than the bits that at least half of the numbers of all steps do with,
 *             at least 0
 *   runs      one after the other:
 *     head    unsigned: bit 0     set if the elements are deleted
 *                       bit 1     set if the index of the first dot is not 0
 *                       bits 2-3  the number of steps, 3 if there are 3 or more
 *                       bit 4     if the unit has 64 more: set if the run was inserted before another
 *                                 element. Then what follows is a bit higher
 *                       bits 4-   the data centre + 1
 *     more    unsigned: the number of steps - 3, if there are 3 or more
 *     time    signed: from the last dot of the run before (the base at first) to the first dot
 *     index   unsigned: of the first dot, if bit 1 is set
 *     steps   from dot to dot, as below
 *     if deleted, the transactions that did it, one for each element:
 *       head  unsigned: bits 0-1  the number of steps, 3 if there are 3 or more
 *                       bits 2-   the data centre + 1
 *       more  unsigned: the number of steps - 3, if there are 3 or more
 *       time  signed: from the last dot of the run to the first transaction
 *       steps
 *   steps     a string of bits, high bits first, filled up to whole bytes with zeros. Equal steps that
 *             follow each other are one. For each:
 *     number  the time step; for transactions n stands as 2n and -n as 2n - 1. What is left of it
 *             without its low bits, if below 7, as so many ones and a zero, and then the low bits.
 *             Otherwise 7 ones, in 6 bits how many there are behind its highest one, and these
 *     flag    1 bit: 0 if it is there once and its index step is usual. Then that is all
 *     index   1 bit: 1 if the index step is not the usual one. Usual is 1 from dots to dots of the
 *             same time, 0 to those of another, and for transactions always 0
 *     repeats how often it is there, as a gamma code (Elias 1975): as many ones as there are bits
 *             behind its highest one, a zero, and these bits
 *     step    the index step, if it is not the usual one: n as 2n + 1 and -n as 2n, likewise
 * </pre>
 *
 * <p>This is version 2, or 3 with sides. Version 1 is read too. In it the byte of the unit is u,
 * there are no low bits, and steps are written as in an effect ({@link RgaEffectCodec}).
 *
 * <p>What was typed in one go takes 5 to 8 bytes beside the text where each keystroke is committed
 * one step of the clock after the other, however long it is; where the steps are irregular, about
 * as many bits more for each keystroke as its step has, and two.
 */
final class RunsCodec<C> {
  private static final int MIN_RUN_BYTES = 2;

  private final String name;
  private final Content<C> content;

  /**
   * @param name of the type, for messages
   */
  RunsCodec(String name, Content<C> content) {
    this.name = name;
    this.content = content;
  }

  Content<C> content() {
    return content;
  }

  void write(List<Run<C>> runs, Encoder out) {
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

  List<Run<C>> read(Decoder in) {
    C visible = content.read(in);
    int left = content.size(visible);
    Content.Cutter<C> cutter = content.cutter(visible);
    int count = in.readCount(MIN_RUN_BYTES);
    List<Run<C>> runs = new ArrayList<>(count);
    if (count > 0) {
      long before = in.readUnsigned();
      DotsReader dots = DotsReader.ofState(in);
      long size = 0;
      for (int i = 0; i < count; i++) {
        Dots ids = dots.readIds(before);
        check(i > 0 || ids.first().time() == before, "the base is not the time of the first dot");
        boolean isBefore = dots.isBefore();
        before = ids.last().time();
        size += ids.size();
        if (dots.isMarked()) {
          runs.add(new Deleted<>(ids, dots.readTransactions(before, ids.size()), isBefore));
        } else {
          left -= ids.size();
          check(left >= 0, "fewer elements than dots");
          runs.add(new Visible<>(ids, cutter.next(ids.size()), isBefore));
        }
      }
      check(size <= Integer.MAX_VALUE, "more than 2^31 elements");
      dots.checkUnit();
    }
    check(left == 0, "more elements than dots");
    return runs;
  }

  void check(boolean condition, String otherwise) {
    if (!condition) {
      throw new FormatException(name + ": " + otherwise);
    }
  }
}
