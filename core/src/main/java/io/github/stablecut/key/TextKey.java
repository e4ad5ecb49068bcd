package io.github.stablecut.key;

import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.crdt.question.SliceBounds;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.sequence.Text;

/**
 * The key of a text ({@link RgaText}). Positions and counts are in Unicode code points, which for
 * characters beyond U+FFFF differ from the indexes of a Java string. A reader sees a {@link Text},
 * an immutable view of the snapshot's state.
 */
public final class TextKey extends SequenceKey<Text> {
  TextKey(ObjectPath path) {
    super(path, RgaText.TYPE, value -> value);
  }

  /**
   * Inserts characters. Executing it throws {@link OperationRefusedException} if there is no such
   * position.
   *
   * @param position the number of code points before the inserted ones
   * @throws IllegalArgumentException if the text contains half of a surrogate pair
   */
  public Update insert(int position, String inserted) {
    return updateBy(RgaText.insert(position, inserted));
  }

  /** The number of code points. */
  public Query<Integer> length() {
    return ask(new Question.Size());
  }

  /**
   * The characters from one position up to another; fewer if the text ends earlier.
   *
   * @param from the position of the first character, in code points
   * @param to exclusive, in code points; at most {@value Question#MAX_ITEMS} above {@code from}
   */
  public Query<String> slice(int from, int to) {
    return ask(new Question.TextSlice(new SliceBounds(from, to)));
  }

  @Override
  TextKey at(ObjectPath other) {
    return new TextKey(other);
  }
}
