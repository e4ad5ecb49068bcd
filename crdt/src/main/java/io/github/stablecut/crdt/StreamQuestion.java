package io.github.stablecut.crdt;

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
   * @throws FormatException if there is none of the kind
   */
  static Question<?> read(int kind, Decoder in) {
    return switch (kind) {
      case First.KIND -> new First();
      case Tail.KIND -> new Tail();
      case Entries.KIND -> Entries.read(in);
      case NamedQuestion.KIND -> NamedQuestion.read(in);
      default -> throw new FormatException("a question is of kind 0 to 16, not " + kind);
    };
  }

  /**
   * A value as a stream.
   *
   * @throws IllegalArgumentException if it is something else
   */
  static StreamValue stream(Object value) {
    if (value instanceof StreamValue stream) {
      return stream;
    }
    throw new IllegalArgumentException(
        "a position can't be asked of a " + value.getClass().getSimpleName());
  }

  /** The first position that was not trimmed. */
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
   * Entries.
   *
   * @param from the position of the first one, 0 or more
   * @param to exclusive; at most {@link Question#MAX_ITEMS} more
   */
  record Entries(long from, long to) implements StreamQuestion<Part> {
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
      return "a part of a stream begins at 0 or later and has at most %,d entries, it can't be from %,d to %,d"
          .formatted(MAX_ITEMS, from, to);
    }

    @Override
    public Part answer(Object value) {
      StreamValue stream = stream(value);
      return new Part(stream.first(), stream.tail(), stream.entries(from, to));
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
    public AnswerForm<Part> form() {
      return AnswerForm.STREAM_PART;
    }
  }

  /**
   * Entries of a stream.
   *
   * @param first the first position that was not trimmed
   * @param tail the position after the last entry of the stream
   * @param entries those that there are of what was asked for
   */
  record Part(long first, long tail, List<Bytes> entries) {
    /** Copies the list. */
    public Part {
      entries = List.copyOf(entries);
    }

    static void write(Part part, Encoder out) {
      out.writeUnsigned(part.first);
      out.writeUnsigned(part.tail);
      out.writeAll(part.entries);
    }

    static Part read(Decoder in) {
      return new Part(in.readUnsigned(), in.readUnsigned(), in.readAll());
    }
  }
}
