package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.KryoBufferOverflowException;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The codecs of compound values. A list is the number of its elements, then the length and bytes of
 * each. An optional value is nothing if absent, otherwise a byte 1 and the value.
 */
final class CompoundCodecs {
  private static final int PRESENT = 1;

  private CompoundCodecs() {}

  static <T> Codec<List<T>> list(Codec<T> element) {
    return ScalarCodecs.of(
        values -> write(out -> out.writeAll(values.stream().map(element::encode).toList())),
        bytes -> read(bytes, in -> elements(in, element)));
  }

  private static <T> List<T> elements(KryoDecoder in, Codec<T> element) {
    int count = in.readCount(1);
    List<T> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(element.decode(in.readBytes()));
    }
    return List.copyOf(values);
  }

  static <T> Codec<Optional<T>> optional(Codec<T> value) {
    return ScalarCodecs.of(
        optional ->
            optional
                .map(
                    present ->
                        write(
                            out -> {
                              out.writeByte(PRESENT);
                              out.writeEncoded(value.encode(present));
                            }))
                .orElse(Bytes.EMPTY),
        bytes -> {
          if (bytes.length() == 0) {
            return Optional.empty();
          }
          if (bytes.at(0) != PRESENT) {
            throw new FormatException("optional value: must begin with 1, not " + bytes.at(0));
          }
          return Optional.of(value.decode(bytes.slice(1, bytes.length())));
        });
  }

  /**
   * The bytes that a writer writes.
   *
   * @throws ValueRefusedException if there are more than {@link Limits#MAX_BYTES}
   */
  static Bytes write(Consumer<KryoEncoder> writer) {
    BytesOutput out = new BytesOutput();
    try {
      writer.accept(new KryoEncoder(out));
    } catch (KryoBufferOverflowException e) {
      throw new ValueRefusedException(
          "a value is larger than " + Limits.MAX_BYTES + " bytes: split it", e);
    }
    return Bytes.wrap(out.toBytes());
  }

  /**
   * The value that a reader reads from all of the bytes.
   *
   * @throws FormatException if there are too many bytes or too few
   */
  static <T> T read(Bytes bytes, Function<KryoDecoder, T> reader) {
    Input input = Inputs.take(bytes.unwrap());
    try {
      KryoDecoder in = new KryoDecoder(input);
      T value = reader.apply(in);
      if (in.remaining() > 0) {
        throw new FormatException("value: " + in.remaining() + " bytes too many");
      }
      return value;
    } catch (KryoException e) {
      throw new FormatException("value: the bytes end too early: " + bytes, e);
    } finally {
      Inputs.release(input);
    }
  }
}
