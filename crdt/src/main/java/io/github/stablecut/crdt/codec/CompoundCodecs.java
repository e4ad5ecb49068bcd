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
 * Values that consist of others, as lengths and bytes: a list is the number of its elements and
 * each, an optional value is nothing, or a byte 1 and the value.
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
            throw new FormatException("optional value: begins with " + bytes.at(0));
          }
          return Optional.of(value.decode(bytes.slice(1, bytes.length())));
        });
  }

  /**
   * What something writes.
   *
   * @throws ValueRefusedException if it is too large
   */
  static Bytes write(Consumer<KryoEncoder> what) {
    BytesOutput out = new BytesOutput();
    try {
      what.accept(new KryoEncoder(out));
    } catch (KryoBufferOverflowException e) {
      throw new ValueRefusedException(
          "a value is larger than " + Limits.MAX_BYTES + " bytes: split it", e);
    }
    return Bytes.wrap(out.toBytes());
  }

  /**
   * What something reads from all of the bytes.
   *
   * @throws FormatException if they end before, or behind it
   */
  static <T> T read(Bytes bytes, Function<KryoDecoder, T> what) {
    Input input = Inputs.take(bytes.unwrap());
    try {
      KryoDecoder in = new KryoDecoder(input);
      T value = what.apply(in);
      if (in.remaining() > 0) {
        throw new FormatException("value: " + in.remaining() + " bytes too many");
      }
      return value;
    } catch (KryoException e) {
      throw new FormatException("value: ends too early: " + bytes, e);
    } finally {
      Inputs.giveBack(input);
    }
  }
}
