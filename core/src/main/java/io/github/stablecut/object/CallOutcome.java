package io.github.stablecut.object;

import io.github.stablecut.crdt.AnswerForm;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.codec.Codec;
import java.util.Objects;
import java.util.Optional;

/**
 * What the call of an object has returned or thrown where the object is. Immutable.
 *
 * @param bytes how many bytes the calls in the log have
 * @param summaryBytes how many bytes the state has that is before them
 * @param isChange whether it makes another state
 * @param result empty if it has thrown
 * @param failure what it has thrown
 */
record CallOutcome<R>(
    long bytes,
    long summaryBytes,
    boolean isChange,
    Optional<R> result,
    Optional<? extends Throwable> failure) {
  /** For who asks about nothing but the log. */
  static final AnswerForm<CallOutcome<Optional<Bytes>>> LOG = form(CollectionCodecs.OPTIONAL);

  static <R> AnswerForm<CallOutcome<R>> form(Codec<R> results) {
    return new AnswerForm<>((answer, out) -> answer.write(results, out), in -> read(results, in));
  }

  /** The result; throws what the call has thrown. */
  R get() {
    if (failure.isPresent()) {
      throw UserCodeFailures.<RuntimeException>rethrow(failure.get());
    }
    return result.orElseThrow();
  }

  private void write(Codec<R> results, Encoder out) {
    Optional<Bytes> encoded = Optional.empty();
    Throwable thrown = failure.orElse(null);
    if (result.isPresent()) {
      try {
        encoded = Optional.of(results.encode(result.get()));
      } catch (Throwable e) {
        UserCodeFailures.rethrowIfFatal(e);
        thrown =
            new IllegalArgumentException(
                "the result of an operation can't be written where the object is (%s): correct its codec"
                    .formatted(UserCodeFailures.nameAndMessageOf(e)),
                e);
      }
    }
    out.writeUnsigned(bytes);
    out.writeUnsigned(summaryBytes);
    out.writeFlag(isChange);
    out.writeFlag(encoded.isPresent());
    if (encoded.isPresent()) {
      out.writeBytes(encoded.get());
    } else {
      Throwable failed = Objects.requireNonNull(thrown);
      out.writeBytes(Bytes.utf8(CallFailedException.nameOf(failed)));
      out.writeBytes(Bytes.utf8(UserCodeFailures.messageOf(failed)));
    }
  }

  private static <R> R decode(Codec<R> results, Bytes encoded) {
    try {
      return results.decode(encoded);
    } catch (Throwable e) {
      UserCodeFailures.rethrowIfFatal(e);
      throw new IllegalArgumentException(
          "the result of an operation can't be read here (%s): use the same classes where the object is"
              .formatted(UserCodeFailures.nameAndMessageOf(e)),
          e);
    }
  }

  private static <R> CallOutcome<R> read(Codec<R> results, Decoder in) {
    long bytes = in.readUnsigned();
    long summaryBytes = in.readUnsigned();
    boolean isChange = in.readFlag();
    return in.readFlag()
        ? new CallOutcome<>(
            bytes,
            summaryBytes,
            isChange,
            Optional.of(decode(results, in.readBytes())),
            Optional.empty())
        : new CallOutcome<>(
            bytes,
            summaryBytes,
            isChange,
            Optional.empty(),
            Optional.of(CallFailedException.of(in.readBytes().toUtf8(), in.readBytes().toUtf8())));
  }
}
