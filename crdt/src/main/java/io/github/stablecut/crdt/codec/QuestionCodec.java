package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.error.LimitExceededException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Bytes of {@link Question}s, their answers and {@link Footprint}s, as nodes send them to each
 * other. They are in no file. Thread-safe.
 */
public final class QuestionCodec {
  /** Two lengths; what they announce is counted as they are read. */
  private static final int MIN_OBJECT_BYTES = 2;

  private QuestionCodec() {}

  /** The bytes of a question. */
  public static Bytes encode(Question<?> question) {
    return written(question::write);
  }

  /**
   * The question that some bytes stand for.
   *
   * @throws FormatException if they are not the bytes of one
   */
  public static Question<?> decodeQuestion(Bytes bytes) {
    return decode(bytes, Question::read);
  }

  /**
   * The bytes of an answer to a question.
   *
   * @throws LimitExceededException if there are too many
   */
  public static <A> Bytes encodeAnswer(Question<A> question, A answer) {
    return encodeAnswer(question, answer, Limits.MAX_BYTES)
        .orElseThrow(
            () ->
                new LimitExceededException(
                    "an answer has more than %,d bytes: ask for a smaller page"
                        .formatted(Limits.MAX_BYTES)));
  }

  /**
   * The bytes of an answer to a question, if there are not too many.
   *
   * @param most how many there may be, at most {@link Limits#MAX_BYTES}
   */
  public static <A> Optional<Bytes> encodeAnswer(Question<A> question, A answer, long most) {
    try {
      return Optional.of(
          Bytes.wrap(output(out -> question.writeAnswer(answer, out), most).toBytes()));
    } catch (KryoException e) {
      return Optional.empty();
    }
  }

  /**
   * The answer that some bytes stand for.
   *
   * @throws FormatException if they are not the bytes of an answer to this question
   */
  public static <A> A decodeAnswer(Question<A> question, Bytes bytes) {
    return decode(bytes, question::readAnswer);
  }

  /** The bytes of a footprint. */
  public static Bytes encode(Footprint footprint) {
    return written(footprint::write);
  }

  /**
   * The footprint that some bytes stand for.
   *
   * @throws FormatException if they are not the bytes of one
   */
  public static Footprint decodeFootprint(Bytes bytes) {
    return decode(bytes, Footprint::read);
  }

  /**
   * The bytes of footprints.
   *
   * @param byObject by the id of the stored object
   * @param ranges of ids
   */
  public static Bytes encode(Map<Bytes, Set<Footprint>> byObject, List<Footprint.Elements> ranges) {
    return written(
        out -> {
          out.writeUnsigned(ranges.size());
          ranges.forEach(range -> range.write(out));
          out.writeUnsigned(byObject.size());
          byObject.forEach(
              (id, footprints) -> {
                out.writeBytes(id);
                out.writeUnsigned(footprints.size());
                footprints.forEach(footprint -> footprint.write(out));
              });
        });
  }

  /**
   * The footprints that some bytes stand for.
   *
   * @param made makes the result of the footprints by object and the ranges
   * @throws FormatException if they are not the bytes of any
   */
  public static <T> T decodeFootprints(
      Bytes bytes, BiFunction<Map<Bytes, Set<Footprint>>, List<Footprint.Elements>, T> made) {
    return decode(
        bytes,
        in -> {
          List<Footprint.Elements> ranges = in.readList(2, QuestionCodec::readRange);
          Map<Bytes, Set<Footprint>> byObject = new HashMap<>();
          for (int objects = in.readCount(MIN_OBJECT_BYTES); objects > 0; objects--) {
            Bytes id = in.readBytes();
            Set<Footprint> footprints = new HashSet<>(in.readList(1, Footprint::read));
            if (footprints.isEmpty() || byObject.put(id, footprints) != null) {
              throw new FormatException("no footprints of " + id + ", or twice");
            }
          }
          return made.apply(byObject, ranges);
        });
  }

  private static Footprint.Elements readRange(Decoder in) {
    if (Footprint.read(in) instanceof Footprint.Elements range) {
      return range;
    }
    throw new FormatException("a range of ids is a footprint of elements");
  }

  /**
   * The bytes of something that consists of questions and their answers.
   *
   * @throws LimitExceededException if there are too many
   */
  public static Bytes encode(Consumer<Encoder> content) {
    try {
      return written(content);
    } catch (KryoException e) {
      throw tooLarge();
    }
  }

  /**
   * The bytes of something that consists of questions and their answers, one behind the other in
   * pieces: large ones that it consists of are not copied.
   *
   * @throws LimitExceededException if there are too many
   */
  public static List<Bytes> encodePieces(Consumer<Encoder> content) {
    try {
      return output(content, Limits.MAX_BYTES).toPieces();
    } catch (KryoException e) {
      throw tooLarge();
    }
  }

  private static LimitExceededException tooLarge() {
    return new LimitExceededException(
        "a message has more than %,d bytes: split it".formatted(Limits.MAX_BYTES));
  }

  private static Bytes written(Consumer<Encoder> content) {
    return Bytes.wrap(output(content, Limits.MAX_BYTES).toBytes());
  }

  private static BytesOutput output(Consumer<Encoder> content, long most) {
    BytesOutput out = new BytesOutput(most);
    content.accept(new KryoEncoder(out));
    return out;
  }

  /**
   * What some bytes stand for.
   *
   * @param content reads it
   * @throws FormatException if there are too many bytes or too few, or the content throws it
   */
  public static <T> T decode(Bytes bytes, Function<Decoder, T> content) {
    return decode(bytes, 0, content);
  }

  /**
   * What some bytes stand for from one of them on.
   *
   * @param begin how many are left out in front, no more than there are
   * @param content reads the others
   * @throws FormatException if there are too many bytes or too few, or the content throws it
   */
  public static <T> T decode(Bytes bytes, int begin, Function<Decoder, T> content) {
    return decode(bytes, begin, Long.MAX_VALUE, content);
  }

  /**
   * What some bytes stand for that are a part of others.
   *
   * @param within reads those; what bounds the number of their elements bounds those here, too
   * @param content reads the bytes
   * @throws FormatException if there are too many bytes or too few, or the content throws it
   * @throws LimitExceededException if there are more elements
   */
  public static <T> T decode(Bytes bytes, Decoder within, Function<Decoder, T> content) {
    return decode(
        bytes,
        in -> {
          KryoDecoder.countTogether(in, within);
          return content.apply(in);
        });
  }

  /**
   * What some bytes stand for from one of them on.
   *
   * @param begin how many are left out in front, no more than there are
   * @param elements the most elements that all lists together may have
   * @param content reads the others
   * @throws FormatException if there are too many bytes or too few, or the content throws it
   * @throws LimitExceededException if there are more elements
   */
  public static <T> T decode(Bytes bytes, int begin, long elements, Function<Decoder, T> content) {
    try {
      KryoDecoder in = new KryoDecoder(new Input(bytes.unwrap(), begin, bytes.length() - begin));
      in.countIn(new ElementBudget(elements));
      T decoded = content.apply(in);
      if (in.remaining() > 0) {
        throw new FormatException(in.remaining() + " bytes too many");
      }
      return decoded;
    } catch (KryoException e) {
      throw new FormatException("the bytes end too early", e);
    }
  }
}
