package io.github.stablecut.crdt;

import io.github.stablecut.crdt.Run.Deleted;
import io.github.stablecut.crdt.Run.Visible;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of the states of lists and texts. Thread-safe.
 *
 * <pre>
 *   content   what is visible: a text as the length and bytes of its UTF-8, a list as the number of
 *             its elements and the length and bytes of each
 *   count     unsigned: the number of runs, each as long as it can be. If it is 0 that is all
 *   base      unsigned: the time of the first dot
 *   unit      1 byte: times below are in units of 2^unit, the greatest that divides them all
 *   runs      one after the other:
 *     head    unsigned: bit 0     set if the elements are deleted
 *                       bit 1     set if the index of the first dot is not 0
 *                       bits 2-3  the number of steps, 3 if there are 3 or more
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
 *   step      equal ones that follow each other are one:
 *     head    unsigned: bit 0     set if it is repeated
 *                       bit 1     set if the index step is not the usual one
 *                       bits 2-   the time step, n as 2n and -n as 2n - 1
 *     repeats unsigned: how often it is there - 2, if bit 0 is set
 *     index   signed: the index step, if bit 1 is set. Usual is 1 from dots to dots of the same
 *             time, 0 to those of another, and for transactions always 0
 * </pre>
 *
 * <p>What was typed in one go takes 5 to 8 bytes beside the text where each keystroke is committed
 * one step of the clock after the other, however long it is; where the steps are irregular, 1 to 3
 * bytes more for each keystroke.
 */
final class RgaStateCodec<C> {
  private static final int MIN_RUN_BYTES = 2;

  private final String name;
  private final Content<C> content;

  /**
   * @param name of the type, for messages
   */
  RgaStateCodec(String name, Content<C> content) {
    this.name = name;
    this.content = content;
  }

  void write(Elements<C> elements, Encoder out) {
    content.write(elements.visible(), out);
    List<Run<C>> runs = elements.longestRuns();
    out.writeUnsigned(runs.size());
    if (runs.isEmpty()) {
      return;
    }
    long base = runs.get(0).ids().first().time();
    int unit = DotsWriter.unitOf(bitsOfTimes(runs, base));
    out.writeUnsigned(base);
    out.writeByte(unit);
    DotsWriter dots = new DotsWriter(out, unit);
    long before = base;
    for (Run<C> run : runs) {
      int deleted = run instanceof Deleted<C> ? 1 : 0;
      dots.writeIds(run.ids(), deleted, before);
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

  Elements<C> read(Decoder in) {
    C visible = content.read(in);
    int left = content.size(visible);
    Content.Cutter<C> cutter = content.cutter(visible);
    int count = in.readCount(MIN_RUN_BYTES);
    List<Run<C>> runs = new ArrayList<>(count);
    if (count > 0) {
      long before = in.readUnsigned();
      DotsReader dots = new DotsReader(in);
      long size = 0;
      for (int i = 0; i < count; i++) {
        Dots ids = dots.readIds(before);
        check(i > 0 || ids.first().time() == before, "the base is not the time of the first dot");
        before = ids.last().time();
        size += ids.size();
        if (dots.isMarked()) {
          runs.add(new Deleted<>(ids, dots.readTransactions(before, ids.size())));
        } else {
          left -= ids.size();
          check(left >= 0, "fewer elements than dots");
          runs.add(new Visible<>(ids, cutter.next(ids.size())));
        }
      }
      check(size <= Integer.MAX_VALUE, "more than 2^31 elements");
      dots.checkUnit();
    }
    check(left == 0, "more elements than dots");
    return new Elements<>(content, tree(runs));
  }

  private RunTree<C> tree(List<Run<C>> runs) {
    RunOrder order = new RunOrder(runs.stream().map(Run::ids).toList());
    check(!order.isInterleaving(), "dots of different runs alternate");
    List<Run<C>> pieces = new ArrayList<>(runs.size());
    for (int i = 0; i < runs.size(); i++) {
      boolean isOne = order.followsLeft(i) && runs.get(i - 1).precedes(runs.get(i));
      check(!isOne, "one run is written as two");
      pieces.addAll(runs.get(i).pieces(content));
    }
    return RunTree.of(pieces);
  }

  private void check(boolean condition, String otherwise) {
    if (!condition) {
      throw new FormatException(name + ": " + otherwise);
    }
  }
}
