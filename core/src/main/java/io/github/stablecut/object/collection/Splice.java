package io.github.stablecut.object.collection;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.codec.Codec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A change of one part of a list: it replaces some elements by others. Immutable.
 *
 * @param from the index of the first replaced element, in the list before the change
 * @param removed how many elements are replaced
 * @param added the replacements
 */
record Splice(int from, int removed, List<Bytes> added) {
  /** Several splices, in ascending order, without overlaps. */
  static final Codec<List<Splice>> LIST =
      CollectionCodecs.codec(
          (splices, out) -> {
            out.writeUnsigned(splices.size());
            splices.forEach(splice -> splice.write(out));
          },
          in -> List.copyOf(in.<Splice>readList(3, Splice::read)));

  /** A list is rebuilt if changing it takes more steps than its size divided by this. */
  private static final int STEPS = 16;

  static Splice of(int from, int removed) {
    return new Splice(from, removed, List.of());
  }

  private void write(Encoder out) {
    out.writeUnsigned(from);
    out.writeUnsigned(removed);
    out.writeAll(added);
  }

  private static Splice read(Decoder in) {
    return new Splice(in.readIndex(), in.readIndex(), in.readAll());
  }

  /** Returns the same change of a list with additional elements at its beginning. */
  Splice shifted(int by) {
    return new Splice(from + by, removed, added);
  }

  /**
   * Applies changes to a list.
   *
   * @throws IndexOutOfBoundsException if the list is too short
   */
  static Tree<Bytes> applied(Tree<Bytes> list, List<Splice> splices) {
    int reached = 0;
    long steps = 0;
    for (Splice splice : splices) {
      Objects.checkFromToIndex(reached, splice.from, list.size());
      reached =
          Objects.checkFromIndexSize(splice.from, splice.removed, list.size()) + splice.removed;
      steps += splice.removed + splice.added.size();
    }
    Objects.checkIndex(reached, list.size() + 1);
    return steps * STEPS < list.size() ? stepByStep(list, splices) : anew(list, splices);
  }

  private static Tree<Bytes> stepByStep(Tree<Bytes> list, List<Splice> splices) {
    Tree<Bytes> made = list;
    for (int i = splices.size() - 1; i >= 0; i--) {
      Splice splice = splices.get(i);
      for (int removedIndex = 0; removedIndex < splice.removed; removedIndex++) {
        made = made.removed(splice.from);
      }
      for (int addedIndex = 0; addedIndex < splice.added.size(); addedIndex++) {
        made = made.inserted(splice.from + addedIndex, splice.added.get(addedIndex));
      }
    }
    return made;
  }

  private static Tree<Bytes> anew(Tree<Bytes> list, List<Splice> splices) {
    List<Bytes> before = list.toList();
    List<Bytes> made = new ArrayList<>();
    int reached = 0;
    for (Splice splice : splices) {
      made.addAll(before.subList(reached, splice.from));
      made.addAll(splice.added);
      reached = splice.from + splice.removed;
    }
    made.addAll(before.subList(reached, before.size()));
    return Tree.of(made);
  }

  /** Returns the changes that turn a list into another one of the same size. */
  static List<Splice> between(List<Bytes> before, List<Bytes> after) {
    List<Splice> splices = new ArrayList<>();
    int from = 0;
    for (int i = 0; i <= before.size(); i++) {
      if (i == before.size() || before.get(i).equals(after.get(i))) {
        if (from < i) {
          splices.add(new Splice(from, i - from, List.copyOf(after.subList(from, i))));
        }
        from = i + 1;
      }
    }
    return splices;
  }
}
