package io.github.stablecut.crdt.question;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The encoding of the answers to a {@link Question}. Thread-safe.
 *
 * @param writer writes an answer
 * @param reader reads an answer; throws {@link FormatException} if the bytes are not a valid answer
 */
public record AnswerForm<A>(BiConsumer<A, Encoder> writer, Function<Decoder, A> reader) {
  static final AnswerForm<Boolean> FLAG =
      new AnswerForm<>((answer, out) -> out.writeFlag(answer), Decoder::readFlag);
  static final AnswerForm<Integer> SIZE =
      new AnswerForm<>((answer, out) -> out.writeUnsigned(answer), Decoder::readIndex);
  static final AnswerForm<Long> NUMBER =
      new AnswerForm<>((answer, out) -> out.writeSigned(answer), Decoder::readSigned);
  static final AnswerForm<String> TEXT =
      new AnswerForm<>(
          (answer, out) -> out.writeBytes(Bytes.utf8(answer)), in -> in.readBytes().toUtf8());
  static final AnswerForm<Optional<Bytes>> OPTIONAL =
      new AnswerForm<>(
          (answer, out) -> {
            out.writeFlag(answer.isPresent());
            answer.ifPresent(out::writeBytes);
          },
          in -> in.readFlag() ? Optional.of(in.readBytes()) : Optional.empty());
  static final AnswerForm<List<Bytes>> ELEMENTS =
      new AnswerForm<>((answer, out) -> out.writeAll(answer), in -> List.copyOf(in.readAll()));
  static final AnswerForm<StreamQuestion.Slice> STREAM_PART =
      new AnswerForm<>(StreamQuestion.Slice::write, StreamQuestion.Slice::read);
  static final AnswerForm<List<Map.Entry<Bytes, Long>>> COUNTS =
      new AnswerForm<>(
          (answer, out) -> {
            out.writeUnsigned(answer.size());
            for (Map.Entry<Bytes, Long> counter : answer) {
              out.writeBytes(counter.getKey());
              out.writeSigned(counter.getValue());
            }
          },
          in ->
              List.copyOf(
                  in.<Map.Entry<Bytes, Long>>readList(
                      2, from -> Map.entry(from.readBytes(), from.readSigned()))));
}
