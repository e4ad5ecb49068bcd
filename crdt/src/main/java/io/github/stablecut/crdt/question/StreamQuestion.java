package io.github.stablecut.crdt.question;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.stream.StreamValue;
import java.util.List;

/** A question about a stream. */
public sealed interface StreamQuestion<A> extends Question<A>
    permits NamedQuestion, StreamQuestion.First, StreamQuestion.Tail, StreamQuestion.Entries {
  @Override
  default Footprint footprint(A answer) {
    return Footprint.whole();
  }

  /**
   * Reads a question.
   *
   * @throws FormatException if the kind is unknown or the bytes are invalid
   */
  static Question<?> read(int kind, Decoder in) {
    return switch (kind) {
      case First.KIND -> new First();
      case Tail.KIND -> new Tail();
      case Entries.KIND -> Entries.read(in);
      case NamedQuestion.KIND -> NamedQuestion.read(in);
      default -> throw new FormatException("unknown kind of question, expected 0 to 16: " + kind);
    };
  }

  /**
   * Casts a value to a stream.
   *
   * @throws IllegalArgumentException if the value is not a stream
   */
  static StreamValue stream(Object value) {
    if (value instanceof StreamValue stream) {
      return stream;
    }
    throw new IllegalArgumentException(
        "a position can't be read from a value of type " + value.getClass().getSimpleName());
  }

  /** The first position that is not trimmed. */
  record First() implements StreamQuestion<Long> {
    private static final int KIND = 13;

    @Override
    public Long answer(Object value) {
      return stream(value).first();
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
    }

    @Override
    public AnswerForm<Long> form() {
      return AnswerForm.NUMBER;
    }
  }

  /** The position after the last entry. */
  record Tail() implements StreamQuestion<Long> {
    private static final int KIND = 14;

    @Override
    public Long answer(Object value) {
      return stream(value).tail();
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
    }

    @Override
    public AnswerForm<Long> form() {
      return AnswerForm.NUMBER;
    }
  }

  /**
   * A range of entries.
   *
   * @param from the first position, 0 or more
   * @param to the end of the range, exclusive; at most {@link Question#MAX_ITEMS} greater than
   *     {@code from}
   */
  record Entries(long from, long to) implements StreamQuestion<Slice> {
    private static final int KIND = 15;

    /** Checks the bounds. */
    public Entries {
      if (!areValid(from, to)) {
        throw new IllegalArgumentException(invalid(from, to));
      }
    }

    private static boolean areValid(long from, long to) {
      return from >= 0 && from <= to && to - from <= MAX_ITEMS;
    }

    private static String invalid(long from, long to) {
      return "a part of a stream must begin at 0 or later and have at most %,d entries: from %,d to %,d is invalid"
          .formatted(MAX_ITEMS, from, to);
    }

    @Override
    public Slice answer(Object value) {
      StreamValue stream = stream(value);
      return new Slice(stream.first(), stream.tail(), stream.entries(from, to));
    }

    @Override
    public void write(Encoder out) {
      out.writeByte(KIND);
      out.writeUnsigned(from);
      out.writeUnsigned(to);
    }

    private static Entries read(Decoder in) {
      long from = in.readUnsigned();
      long to = in.readUnsigned();
      if (!areValid(from, to)) {
        throw new FormatException(invalid(from, to));
      }
      return new Entries(from, to);
    }

    @Override
    public AnswerForm<Slice> form() {
      return AnswerForm.STREAM_PART;
    }
  }

  /**
   * Entries of a stream.
   *
   * @param first the first position that is not trimmed
   * @param tail the position after the last entry of the stream
   * @param entries the existing entries in the requested range
   */
  record Slice(long first, long tail, List<Bytes> entries) {
    /** Copies the list. */
    public Slice {
      entries = List.copyOf(entries);
    }

    static void write(Slice slice, Encoder out) {
      out.writeUnsigned(slice.first);
      out.writeUnsigned(slice.tail);
      out.writeAll(slice.entries);
    }

    static Slice read(Decoder in) {
      return new Slice(in.readUnsigned(), in.readUnsigned(), in.readAll());
    }
  }
}
