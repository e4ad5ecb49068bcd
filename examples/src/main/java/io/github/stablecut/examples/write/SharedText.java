package io.github.stablecut.examples.write;

import io.github.stablecut.examples.trace.Trace.Patch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Maps the positions of a recorded author, who did not know of others, to a text that others edit,
 * too. It knows the author of each character. The author's characters that others have deleted stay
 * as ghosts, because the author still counts them. Confined to one thread.
 */
final class SharedText {
  private static final byte OWN = 0;
  private static final byte GHOST = 1;
  private static final byte FOREIGN = 2;

  /** Code points, including ghosts. */
  private int[] points = new int[1 << 10];

  private byte[] kinds = new byte[1 << 10];
  private int size;

  /** Sets the current text; all differences are edits of others. */
  void becomes(String text) {
    Patch change = Patch.between(text(), text);
    int at = 0;
    for (int before = 0; before < change.position(); at++) {
      before += kinds[at] == GHOST ? 0 : 1;
    }
    int place = at;
    for (int left = change.deleted(); left > 0; at++) {
      if (kinds[at] == OWN) {
        kinds[at] = GHOST;
        left--;
      } else if (kinds[at] == FOREIGN) {
        splice(at, 1, new int[0], FOREIGN);
        at--;
        left--;
      }
    }
    splice(place, 0, change.inserted().codePoints().toArray(), FOREIGN);
  }

  /**
   * Executes an edit of the recorded author.
   *
   * @return the equivalent patches of the text, in order
   */
  List<Patch> edit(Patch recorded) {
    List<Patch> parts = new ArrayList<>();
    int at = 0;
    int position = 0;
    for (int before = 0; before < recorded.position(); at++) {
      before += kinds[at] == FOREIGN ? 0 : 1;
      position += kinds[at] == GHOST ? 0 : 1;
    }
    int place = at;
    int from = position;
    for (int left = recorded.deleted(); left > 0; ) {
      if (kinds[at] == FOREIGN) {
        at++;
        from++;
        continue;
      }
      if (kinds[at] == OWN) {
        parts.add(new Patch(from, 1, ""));
      }
      splice(at, 1, new int[0], OWN);
      left--;
    }
    if (!recorded.inserted().isEmpty()) {
      splice(place, 0, recorded.inserted().codePoints().toArray(), OWN);
      parts.add(new Patch(position, 0, recorded.inserted()));
    }
    return joined(parts);
  }

  /** Joins deletions at the same position. */
  private static List<Patch> joined(List<Patch> parts) {
    List<Patch> joined = new ArrayList<>();
    for (Patch part : parts) {
      int end = joined.size() - 1;
      boolean goesOn =
          end >= 0
              && part.inserted().isEmpty()
              && joined.get(end).inserted().isEmpty()
              && joined.get(end).position() == part.position();
      if (goesOn) {
        int deleted = joined.remove(end).deleted() + part.deleted();
        joined.add(new Patch(part.position(), deleted, ""));
      } else {
        joined.add(part);
      }
    }
    return joined;
  }

  private void splice(int at, int removed, int[] added, byte kind) {
    int grown = size - removed + added.length;
    if (grown > points.length) {
      points = Arrays.copyOf(points, 2 * grown);
      kinds = Arrays.copyOf(kinds, 2 * grown);
    }
    int rest = size - at - removed;
    System.arraycopy(points, at + removed, points, at + added.length, rest);
    System.arraycopy(kinds, at + removed, kinds, at + added.length, rest);
    System.arraycopy(added, 0, points, at, added.length);
    Arrays.fill(kinds, at, at + added.length, kind);
    size = grown;
  }

  /** The text without ghosts. */
  String text() {
    int[] seen = new int[size];
    int length = 0;
    for (int i = 0; i < size; i++) {
      if (kinds[i] != GHOST) {
        seen[length++] = points[i];
      }
    }
    return new String(seen, 0, length);
  }
}
