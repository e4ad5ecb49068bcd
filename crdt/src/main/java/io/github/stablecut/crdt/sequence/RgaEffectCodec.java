package io.github.stablecut.crdt.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.Reference;
import io.github.stablecut.crdt.internal.sequence.Content;
import io.github.stablecut.crdt.internal.sequence.Dots;
import io.github.stablecut.crdt.internal.sequence.DotsReader;
import io.github.stablecut.crdt.internal.sequence.DotsWriter;
import io.github.stablecut.crdt.sequence.Rga.Deletion;
import io.github.stablecut.crdt.sequence.Rga.Effect;
import io.github.stablecut.crdt.sequence.Rga.Insertion;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes and decodes the effects on lists and texts. Thread-safe.
 *
 * <pre>
 *   kind        1 byte: 0 deletion, 1 insertion at the beginning, 2 after an element, 3 before one
 *   insertion:
 *     reference dot: that of the element, if kind is 2 or 3
 *     first     dot: of the first element
 *     content   as in a state ({@link RgaStateCodec})
 *   deletion:
 *     count     unsigned: the number of sequences of dots. If 0, nothing follows
 *     unit      1 byte: the times below are in units of 2^unit, the greatest that divides them all
 *     for each sequence, which is as long as possible:
 *       first   dot
 *       number  unsigned: the number of steps
 *       steps   from dot to dot; consecutive equal steps are one:
 *         head    unsigned: bit 0     set if the step is repeated
 *                           bit 1     set if the index step is not the usual one
 *                           bits 2-   the time step, n as 2n and -n as 2n - 1
 *         repeats unsigned: the number of repeats - 2, if bit 0 is set
 *         index   signed: the index step, if bit 1 is set. The usual one is as in a state
 * </pre>
 */
final class RgaEffectCodec<C> {
  private static final int DELETION = 0;
  private static final int INSERTION_AT_BEGINNING = 1;
  private static final int INSERTION_AFTER = 2;
  private static final int INSERTION_BEFORE = 3;
  private static final int MIN_DOTS_BYTES = 3;

  private final String name;
  private final Content<C> content;

  /**
   * @param name the name of the type, for messages
   */
  RgaEffectCodec(String name, Content<C> content) {
    this.name = name;
    this.content = content;
  }

  void write(Effect<C> effect, Encoder out) {
    if (effect instanceof Insertion<C> insertion) {
      out.writeByte(kindOf(insertion.reference()));
      insertion.reference().element().ifPresent(out::writeDot);
      out.writeDot(insertion.first());
      content.write(insertion.elements(), out);
    } else {
      out.writeByte(DELETION);
      writeIds(((Deletion<C>) effect).ids(), out);
    }
  }

  private static int kindOf(Reference reference) {
    if (reference.element().isEmpty()) {
      return INSERTION_AT_BEGINNING;
    }
    return reference.isBefore() ? INSERTION_BEFORE : INSERTION_AFTER;
  }

  private static void writeIds(List<Dots> ids, Encoder out) {
    out.writeUnsigned(ids.size());
    if (ids.isEmpty()) {
      return;
    }
    long bits = 0;
    for (Dots dots : ids) {
      bits |= DotsWriter.bitsOf(dots, dots.first().time());
    }
    int unit = DotsWriter.unitOf(bits);
    out.writeByte(unit);
    for (Dots dots : ids) {
      out.writeDot(dots.first());
      out.writeUnsigned(DotsWriter.countSteps(dots));
      dots.forEachStep(
          (timeStep, indexStep, repeats) ->
              writeStep(timeStep, timeStep >> unit, indexStep, repeats, out));
    }
  }

  private static void writeStep(
      long timeStep, long units, int indexStep, int repeats, Encoder out) {
    boolean unusual = indexStep != DotsWriter.usualIndexStep(timeStep, true);
    long zigzag = units << 1 ^ units >> 63;
    out.writeUnsigned(zigzag << 2 | (unusual ? 2 : 0) | (repeats > 1 ? 1 : 0));
    if (repeats > 1) {
      out.writeUnsigned(repeats - 2);
    }
    if (unusual) {
      out.writeSigned(indexStep);
    }
  }

  Effect<C> read(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case DELETION -> new Deletion<>(readIds(in));
      case INSERTION_AT_BEGINNING -> readInsertion(Reference.BEGINNING, in);
      case INSERTION_AFTER -> readInsertion(Reference.after(in.readDot()), in);
      case INSERTION_BEFORE -> readInsertion(Reference.before(in.readDot()), in);
      default ->
          throw new FormatException(name + ": unknown kind of effect, expected 0 to 3: " + kind);
    };
  }

  private Insertion<C> readInsertion(Reference reference, Decoder in) {
    Dot first = in.readDot();
    C elements = content.read(in);
    int size = content.size(elements);
    if (size == 0 || first.index() > Integer.MAX_VALUE - size) {
      throw new FormatException(
          name + ": invalid insertion of " + size + " elements from " + first + " on");
    }
    return new Insertion<>(reference, first, elements);
  }

  private List<Dots> readIds(Decoder in) {
    int count = in.readCount(MIN_DOTS_BYTES);
    List<Dots> ids = new ArrayList<>(count);
    if (count > 0) {
      DotsReader reader = DotsReader.ofEffect(in);
      for (int i = 0; i < count; i++) {
        Dots dots = reader.readSteps(in.readDot(), in.readCount(1), true);
        if (i > 0 && ids.get(i - 1).canPrecede(dots)) {
          throw new FormatException(
              name + ": two sequences of dots must be written as one: " + dots);
        }
        ids.add(dots);
      }
      reader.checkUnit();
    }
    return ids;
  }
}
