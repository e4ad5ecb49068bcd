package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.AnswerForm;
import io.github.stablecut.object.collection.CollectionCodecs;
import java.util.Objects;
import java.util.Optional;

/**
 * The result of a call of an object, or the exception that it threw, in the process that has the
 * object. Immutable.
 *
 * @param bytes the size of the calls in the log
 * @param summaryBytes the size of the state before them
 * @param isChange whether the call changes the state
 * @param result empty if the call threw
 * @param failure what the call threw
 */
record CallOutcome<R>(
    long bytes,
    long summaryBytes,
    boolean isChange,
    Optional<R> result,
    Optional<? extends Throwable> failure) {
  /** The form of answers to queries of the log alone. */
  static final AnswerForm<CallOutcome<Optional<Bytes>>> LOG = form(CollectionCodecs.OPTIONAL);

  static <R> AnswerForm<CallOutcome<R>> form(Codec<R> results) {
    return new AnswerForm<>((answer, out) -> answer.write(results, out), in -> read(results, in));
  }

  /** Returns the result, or throws what the call threw. */
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
                "the node or server of the object can't write the result of an operation (%s): correct its codec"
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
          "the result of an operation can't be read here (%s): use the same classes at the node or server of the object"
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
