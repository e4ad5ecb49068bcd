package io.github.stablecut.object;

import io.github.stablecut.crdt.AnswerForm;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.codec.Codec;
import java.util.Optional;

/**
 * What the call of an object has returned or thrown where the object is. Immutable.
 *
 * @param bytes how many bytes the calls in the log have
 * @param summaryBytes how many bytes the state has that is before them
 * @param result empty if it has thrown
 * @param failure what it has thrown
 */
record Answered<R>(
    long bytes, long summaryBytes, Optional<R> result, Optional<RuntimeException> failure) {
  /** For who asks about nothing but the log. */
  static final AnswerForm<Answered<Optional<Bytes>>> LOG = form(CollectionCodecs.OPTIONAL);

  static <R> AnswerForm<Answered<R>> form(Codec<R> results) {
    return new AnswerForm<>((answer, out) -> answer.write(results, out), in -> read(results, in));
  }

  /** The result; throws what the call has thrown. */
  R get() {
    return result.orElseThrow(failure::orElseThrow);
  }

  private void write(Codec<R> results, Encoder out) {
    out.writeUnsigned(bytes);
    out.writeUnsigned(summaryBytes);
    out.writeFlag(result.isPresent());
    if (result.isPresent()) {
      out.writeBytes(results.encode(result.get()));
    } else {
      RuntimeException thrown = failure.orElseThrow();
      out.writeBytes(Bytes.utf8(CallFailedException.nameOf(thrown)));
      out.writeBytes(Bytes.utf8(String.valueOf(thrown.getMessage())));
    }
  }

  private static <R> Answered<R> read(Codec<R> results, Decoder in) {
    long bytes = in.readUnsigned();
    long summaryBytes = in.readUnsigned();
    return in.readFlag()
        ? new Answered<>(
            bytes, summaryBytes, Optional.of(results.decode(in.readBytes())), Optional.empty())
        : new Answered<>(
            bytes,
            summaryBytes,
            Optional.empty(),
            Optional.of(CallFailedException.of(in.readBytes().toUtf8(), in.readBytes().toUtf8())));
  }
}
