package io.github.stablecut.crdt.sequence;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.internal.sequence.Content;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;

/**
 * A text for concurrent editing: a sequence of Unicode code points. Operations, effects and
 * complexity are those of {@link Rga}. Positions and counts are in code points, which differ from
 * the indexes of a Java string for characters beyond U+FFFF.
 */
public final class RgaText extends Rga<String, Text> {
  static final Content<String> CONTENT = new CodePoints();

  /** The type. */
  public static final RgaText TYPE = new RgaText();

  private RgaText() {
    super("text", CONTENT);
  }

  /**
   * Inserts characters. Refused for a position beyond the end.
   *
   * @param position the number of code points to the left
   * @param text the characters, without unpaired surrogates
   */
  public static Operation<String> insert(int position, String text) {
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      if (Character.getType(text.codePointAt(i)) == Character.SURROGATE) {
        throw new IllegalArgumentException(
            "the text has an unpaired surrogate at index " + i + ": remove it");
      }
    }
    return new Insert<>(position, text);
  }

  @Override
  public int typeId() {
    return 21;
  }

  @Override
  public String name() {
    return "text";
  }

  @Override
  public Text value(State<String> state, VectorClock snapshot) {
    return Text.of(state.elements());
  }

  /** Code points as Java strings. */
  private static final class CodePoints implements Content<String> {
    @Override
    public int size(String text) {
      return text.codePointCount(0, text.length());
    }

    @Override
    public String part(String text, int size, int from, int to) {
      if (text.length() == size) {
        return text.substring(from, to);
      }
      int begin = text.offsetByCodePoints(0, from);
      return text.substring(begin, text.offsetByCodePoints(begin, to - from));
    }

    @Override
    public String joined(String left, String right) {
      return left.concat(right);
    }

    @Override
    public String joined(List<String> parts) {
      return String.join("", parts);
    }

    @Override
    public Cutter<String> cutter(String text) {
      int[] begin = {0};
      return size -> {
        int end = text.offsetByCodePoints(begin[0], size);
        String part = text.substring(begin[0], end);
        begin[0] = end;
        return part;
      };
    }

    @Override
    public void write(String text, Encoder out) {
      out.writeBytes(Bytes.utf8(text));
    }

    @Override
    public String read(Decoder in) {
      try {
        return UTF_8.newDecoder().decode(ByteBuffer.wrap(in.readBytes().toArray())).toString();
      } catch (CharacterCodingException e) {
        throw new FormatException("the text is not valid UTF-8", e);
      }
    }
  }
}
