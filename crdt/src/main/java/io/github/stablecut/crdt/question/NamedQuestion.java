package io.github.stablecut.crdt.question;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.stream.EntryStream;
import io.github.stablecut.crdt.stream.StreamValue;
import java.util.Objects;
import java.util.Optional;

/**
 * A question that user code answers. The code is registered by name where the object is; requests
 * carry only the name and the argument. A receiver without the code answers with the stream itself
 * ({@link #whole}), and the requester runs its own code on it. Immutable.
 *
 * @param type the name of the user-defined type
 * @param version the version of that type
 * @param operation the name of the operation in the type
 * @param isMutator whether the requester logs the call if it changes the state
 * @param argument the encoded argument
 * @param code the code; empty if the question was decoded from bytes
 * @param <R> the result of the code
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
   * The result of the code.
   *
   * @param tail the position after the last entry of the stream that the code ran on
   */
  public record Answer<R>(long tail, R result) {}

  /** Checks for nulls. */
  public NamedQuestion {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(operation, "operation");
    Objects.requireNonNull(argument, "argument");
    Objects.requireNonNull(code, "code");
  }

  /** The same question with its code. */
  public <T> NamedQuestion<T> with(StreamCode<T> answering) {
    return new NamedQuestion<>(
        type, version, operation, isMutator, argument, Optional.of(answering));
  }

  /** The same question, answered with the stream itself. */
  public NamedQuestion<StreamValue> whole() {
    return with(WHOLE);
  }

  private StreamCode<R> requireCode() {
    return code.orElseThrow(
        () ->
            new IllegalArgumentException(
                "operation %s of type %s is not registered here: a condition can't use it"
                    .formatted(operation, type)));
  }

  @Override
  public Answer<R> answer(Object value) {
    return answer(StreamQuestion.stream(value));
  }

  private Answer<R> answer(StreamValue stream) {
    return new Answer<>(stream.tail(), requireCode().answer(stream, argument));
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
      throw new FormatException("the version of a type is out of range: " + version);
    }
    return (int) version;
  }

  /**
   * An answer is a flag, then the stream if it is set, otherwise the tail and the result of the
   * code.
   */
  @Override
  public AnswerForm<Answer<R>> form() {
    StreamCode<R> answering = requireCode();
    AnswerForm<R> resultForm = answering.form();
    boolean isWhole = answering.equals(WHOLE);
    return new AnswerForm<>(
        (answer, out) -> {
          out.writeFlag(isWhole);
          if (!isWhole) {
            out.writeUnsigned(answer.tail);
          }
          resultForm.writer().accept(answer.result, out);
        },
        in ->
            in.readFlag()
                ? answer(WHOLE.form().reader().apply(in))
                : new Answer<>(in.readUnsigned(), resultForm.reader().apply(in)));
  }

  @Override
  public boolean isNumber() {
    return false;
  }

  @Override
  public boolean isOptional() {
    return false;
  }

  /**
   * Questions are equal if they are calls of the same operation with the same argument, whatever
   * their code.
   */
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
