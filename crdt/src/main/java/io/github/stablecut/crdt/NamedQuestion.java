package io.github.stablecut.crdt;

import java.util.Objects;
import java.util.Optional;

/**
 * A question that code of users answers, which is known by its name where the object is. Only the
 * name and the argument are sent. A receiver that does not have the code answers with the stream
 * itself ({@link #whole}), and the code of the asker makes the answer of it. Immutable.
 *
 * @param type the name of the type that has the code
 * @param version the version of the type
 * @param operation the name of the code in the type
 * @param isMutator whether the asker logs the call if it changes the state
 * @param argument the argument's bytes
 * @param code the code; empty if the question was read from bytes
 * @param <R> what the code makes
 */
public record NamedQuestion<R>(
    String type,
    int version,
    String operation,
    boolean isMutator,
    Bytes argument,
    Optional<StreamCode<R>> code)
    implements StreamQuestion<NamedQuestion.Answer<R>> {
  static final int KIND = 16;

  /** Answers with the stream. */
  private static final StreamCode<StreamValue> WHOLE = new Whole();

  private static final class Whole implements StreamCode<StreamValue> {
    @Override
    public StreamValue answer(StreamValue stream, Bytes argument) {
      return stream;
    }

    @Override
    public AnswerForm<StreamValue> form() {
      return new AnswerForm<>(
          StreamValue::write, in -> new StreamValue(EntryStream.TYPE.readState(in)));
    }
  }

  /**
   * What the code has made.
   *
   * @param tail the position after the last entry of the stream that it was made of
   */
  public record Answer<R>(long tail, R made) {}

  /** Checks for nulls. */
  public NamedQuestion {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(operation, "operation");
    Objects.requireNonNull(argument, "argument");
    Objects.requireNonNull(code, "code");
  }

  /** The same question with the code that answers it. */
  public <T> NamedQuestion<T> with(StreamCode<T> known) {
    return new NamedQuestion<>(type, version, operation, isMutator, argument, Optional.of(known));
  }

  /** The same question, answered with the stream itself. */
  public NamedQuestion<StreamValue> whole() {
    return with(WHOLE);
  }

  private StreamCode<R> known() {
    return code.orElseThrow(
        () ->
            new IllegalArgumentException(
                "operation %s of type %s is not known here: a condition can't ask for it"
                    .formatted(operation, type)));
  }

  @Override
  public Answer<R> answer(Object value) {
    return answer(StreamQuestion.stream(value));
  }

  private Answer<R> answer(StreamValue stream) {
    return new Answer<>(stream.tail(), known().answer(stream, argument));
  }

  @Override
  public boolean isCertified() {
    return code.map(StreamCode::isCertified).orElse(true);
  }

  @Override
  public void write(Encoder out) {
    out.writeByte(KIND);
    out.writeBytes(Bytes.utf8(type));
    out.writeSigned(version);
    out.writeBytes(Bytes.utf8(operation));
    out.writeFlag(isMutator);
    out.writeBytes(argument);
  }

  static NamedQuestion<?> read(Decoder in) {
    return new NamedQuestion<>(
        in.readBytes().toUtf8(),
        readVersion(in),
        in.readBytes().toUtf8(),
        in.readFlag(),
        in.readBytes(),
        Optional.empty());
  }

  private static int readVersion(Decoder in) {
    long version = in.readSigned();
    if (version != (int) version) {
      throw new FormatException("a type has no version " + version);
    }
    return (int) version;
  }

  /** A flag: whether the stream follows, and not its tail and what the code has made. */
  @Override
  public AnswerForm<Answer<R>> form() {
    StreamCode<R> known = known();
    AnswerForm<R> made = known.form();
    boolean isWhole = known.equals(WHOLE);
    return new AnswerForm<>(
        (answer, out) -> {
          out.writeFlag(isWhole);
          if (!isWhole) {
            out.writeUnsigned(answer.tail);
          }
          made.writer().accept(answer.made, out);
        },
        in ->
            in.readFlag()
                ? answer(WHOLE.form().reader().apply(in))
                : new Answer<>(in.readUnsigned(), made.reader().apply(in)));
  }

  @Override
  public boolean isNumber() {
    return false;
  }

  @Override
  public boolean isOptional() {
    return false;
  }

  /** Equal are calls of the same name with the same argument. */
  @Override
  public boolean equals(Object other) {
    return other instanceof NamedQuestion<?> that
        && type.equals(that.type)
        && version == that.version
        && operation.equals(that.operation)
        && isMutator == that.isMutator
        && argument.equals(that.argument);
  }

  @Override
  public int hashCode() {
    return Objects.hash(type, operation, argument);
  }

  @Override
  public String toString() {
    return type + "." + operation;
  }
}
