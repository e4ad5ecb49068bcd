package io.github.stablecut.key;

import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.crdt.RgaText;
import io.github.stablecut.crdt.SliceBounds;
import io.github.stablecut.crdt.Text;

/**
 * The name of a text ({@link RgaText}). Positions and counts are in Unicode code points, which for
 * characters beyond U+FFFF differ from the indexes of a Java string. A reader sees a {@link Text},
 * an immutable view of the snapshot's state.
 */
public final class TextKey extends SequenceKey<Text> {
  TextKey(ObjectPath place) {
    super(place, RgaText.TYPE, value -> value);
  }

  /**
   * Inserts characters. A transaction that executes it is told by {@link OperationRefusedException}
   * if there is no such position.
   *
   * @param position how many code points stay to their left
   * @throws IllegalArgumentException if half of a surrogate pair is in it
   */
  public Update insert(int position, String inserted) {
    return updateBy(RgaText.insert(position, inserted));
  }

  /** How many code points there are. */
  public Query<Integer> length() {
    return ask(new Question.Size());
  }

  /**
   * The characters from a position up to another; fewer if the text ends before.
   *
   * @param from how many code points are before them
   * @param to how many code points are before their end; at most {@value Question#MAX_ITEMS} more
   */
  public Query<String> slice(int from, int to) {
    return ask(new Question.TextSlice(new SliceBounds(from, to)));
  }

  @Override
  TextKey at(ObjectPath other) {
    return new TextKey(other);
  }
}
