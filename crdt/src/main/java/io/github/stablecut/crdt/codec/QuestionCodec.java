package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.question.Question;
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
 * Encodes and decodes {@link Question}s, their answers and {@link Footprint}s for messages between
 * nodes. No file contains them. Thread-safe.
 */
public final class QuestionCodec {
  /** The minimum size of an object: two lengths. */
  private static final int MIN_OBJECT_BYTES = 2;

  private QuestionCodec() {}

  /** Encodes a question. */
  public static Bytes encode(Question<?> question) {
    return encodeUnlimited(question::write);
  }

  /**
   * Decodes a question.
   *
   * @throws FormatException if the bytes are invalid
   */
  public static Question<?> decodeQuestion(Bytes bytes) {
    return decode(bytes, Question::read);
  }

  /**
   * Encodes an answer to a question.
   *
   * @throws LimitExceededException if it has more than {@link Limits#MAX_BYTES}
   */
  public static <A> Bytes encodeAnswer(Question<A> question, A answer) {
    return encodeAnswer(question, answer, Limits.MAX_BYTES)
        .orElseThrow(
            () ->
                new LimitExceededException(
                    "an answer has more than %,d bytes: request a smaller page"
                        .formatted(Limits.MAX_BYTES)));
  }

  /**
   * Encodes an answer to a question within a size limit; empty if it exceeds the limit.
   *
   * @param maxBytes the maximum number of bytes, at most {@link Limits#MAX_BYTES}
   */
  public static <A> Optional<Bytes> encodeAnswer(Question<A> question, A answer, long maxBytes) {
    try {
      return Optional.of(
          Bytes.wrap(output(out -> question.writeAnswer(answer, out), maxBytes).toBytes()));
    } catch (KryoException e) {
      return Optional.empty();
    }
  }

  /**
   * Decodes an answer.
   *
   * @throws FormatException if the bytes are not a valid answer to this question
   */
  public static <A> A decodeAnswer(Question<A> question, Bytes bytes) {
    return decode(bytes, question::readAnswer);
  }

  /** Encodes a footprint. */
  public static Bytes encode(Footprint footprint) {
    return encodeUnlimited(footprint::write);
  }

  /**
   * Decodes a footprint.
   *
   * @throws FormatException if the bytes are invalid
   */
  public static Footprint decodeFootprint(Bytes bytes) {
    return decode(bytes, Footprint::read);
  }

  /**
   * Encodes footprints.
   *
   * @param byObject the footprints by the ids of the stored objects
   * @param ranges ranges of ids
   */
  public static Bytes encode(Map<Bytes, Set<Footprint>> byObject, List<Footprint.Elements> ranges) {
    return encodeUnlimited(
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
   * Decodes footprints.
   *
   * @param constructor creates the result from the footprints by object and the ranges
   * @throws FormatException if the bytes are invalid
   */
  public static <T> T decodeFootprints(
      Bytes bytes,
      BiFunction<Map<Bytes, Set<Footprint>>, List<Footprint.Elements>, T> constructor) {
    return decode(
        bytes,
        in -> {
          List<Footprint.Elements> ranges = in.readList(2, QuestionCodec::readRange);
          Map<Bytes, Set<Footprint>> byObject = new HashMap<>();
          for (int objects = in.readCount(MIN_OBJECT_BYTES); objects > 0; objects--) {
            Bytes id = in.readBytes();
            Set<Footprint> footprints = new HashSet<>(in.readList(1, Footprint::read));
            if (footprints.isEmpty() || byObject.put(id, footprints) != null) {
              throw new FormatException("object " + id + " has no footprints or occurs twice");
            }
          }
          return constructor.apply(byObject, ranges);
        });
  }

  private static Footprint.Elements readRange(Decoder in) {
    if (Footprint.read(in) instanceof Footprint.Elements range) {
      return range;
    }
    throw new FormatException("a range of ids must be a footprint of elements");
  }

  /**
   * Encodes a message of questions and answers.
   *
   * @throws LimitExceededException if it has more than {@link Limits#MAX_BYTES}
   */
  public static Bytes encode(Consumer<Encoder> content) {
    try {
      return encodeUnlimited(content);
    } catch (KryoException e) {
      throw tooLarge();
    }
  }

  /**
   * Encodes a message of questions and answers as consecutive pieces; large byte strings are not
   * copied.
   *
   * @throws LimitExceededException if it has more than {@link Limits#MAX_BYTES}
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

  private static Bytes encodeUnlimited(Consumer<Encoder> content) {
    return Bytes.wrap(output(content, Limits.MAX_BYTES).toBytes());
  }

  private static BytesOutput output(Consumer<Encoder> content, long maxBytes) {
    BytesOutput out = new BytesOutput(maxBytes);
    content.accept(new KryoEncoder(out));
    return out;
  }

  /**
   * Decodes bytes.
   *
   * @param content decodes the bytes
   * @throws FormatException if there are too many bytes or too few, or {@code content} throws it
   */
  public static <T> T decode(Bytes bytes, Function<Decoder, T> content) {
    return decode(bytes, 0, content);
  }

  /**
   * Decodes bytes from an offset on.
   *
   * @param begin the number of leading bytes to skip, at most their total number
   * @param content decodes the other bytes
   * @throws FormatException if there are too many bytes or too few, or {@code content} throws it
   */
  public static <T> T decode(Bytes bytes, int begin, Function<Decoder, T> content) {
    return decode(bytes, begin, Long.MAX_VALUE, content);
  }

  /**
   * Decodes bytes that are part of other bytes.
   *
   * @param within the decoder of those bytes, whose element budget also applies here
   * @param content decodes the bytes
   * @throws FormatException if there are too many bytes or too few, or {@code content} throws it
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
   * Decodes bytes from an offset on.
   *
   * @param begin the number of leading bytes to skip, at most their total number
   * @param maxElements the maximum number of elements of all lists together
   * @param content decodes the other bytes
   * @throws FormatException if there are too many bytes or too few, or {@code content} throws it
   * @throws LimitExceededException if there are more elements
   */
  public static <T> T decode(
      Bytes bytes, int begin, long maxElements, Function<Decoder, T> content) {
    try {
      KryoDecoder in = new KryoDecoder(new Input(bytes.unwrap(), begin, bytes.length() - begin));
      in.countIn(new ElementBudget(maxElements));
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
