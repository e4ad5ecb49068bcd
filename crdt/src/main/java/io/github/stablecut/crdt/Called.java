package io.github.stablecut.crdt;

import java.util.Objects;
import java.util.Optional;

/**
 * A question that is answered by code of users, which those that may answer it know by its name.
 * Only the name and the argument are sent. Immutable.
 *
 * @param type the name of the type that has the code
 * @param operation the name of the code in the type
 * @param argument the argument's bytes
 * @param code the code; empty if the question was read from bytes
 * @param <R> what the code makes
 */
public record Called<R>(String type, String operation, Bytes argument, Optional<StreamCode<R>> code)
    implements StreamQuestion<Called.Answer<R>> {
  static final int KIND = 16;

  /**
   * What the code has made.
   *
   * @param tail the position after the last entry of the stream that it was made of
   */
  public record Answer<R>(long tail, R made) {}

  /** Checks for nulls. */
  public Called {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(operation, "operation");
    Objects.requireNonNull(argument, "argument");
    Objects.requireNonNull(code, "code");
  }

  /** The same question with the code that answers it. */
  public <T> Called<T> with(StreamCode<T> known) {
    return new Called<>(type, operation, argument, Optional.of(known));
  }

  private StreamCode<R> known() {
    return code.orElseThrow(
        () ->
            new IllegalArgumentException(
                "nobody knows operation %s of type %s here".formatted(operation, type)));
  }

  @Override
  public Answer<R> answer(Object value) {
    StreamValue stream = StreamQuestion.stream(value);
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
    out.writeBytes(Bytes.utf8(operation));
    out.writeBytes(argument);
  }

  static Called<?> read(Decoder in) {
    String type = in.readBytes().toUtf8();
    return new Called<>(type, in.readBytes().toUtf8(), in.readBytes(), Optional.empty());
  }

  @Override
  public AnswerForm<Answer<R>> form() {
    AnswerForm<R> made = known().form();
    return new AnswerForm<>(
        (answer, out) -> {
          out.writeUnsigned(answer.tail);
          made.writer().accept(answer.made, out);
        },
        in -> new Answer<>(in.readUnsigned(), made.reader().apply(in)));
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
    return other instanceof Called<?> that
        && type.equals(that.type)
        && operation.equals(that.operation)
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
