package io.github.stablecut.crdt.codec;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.util.UUID;

/** The bytes of simple values. */
final class Scalars {
  private Scalars() {}

  static Bytes encodeText(String text) {
    try {
      // Not String.getBytes: it writes '?' for half a surrogate pair, and two texts would become
      // one.
      ByteBuffer encoded = UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return Bytes.wrap(bytes);
    } catch (CharacterCodingException e) {
      throw new UnencodableValueException(
          "a text with half a surrogate pair has no UTF-8 form: mend the text, or use bytes()", e);
    }
  }

  static String decodeText(Bytes bytes) {
    try {
      return UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes.toArray()))
          .toString();
    } catch (CharacterCodingException e) {
      throw new FormatException("not UTF-8: " + bytes, e);
    }
  }

  static Bytes encodeLong(long value) {
    return Bytes.wrap(ByteBuffer.allocate(Long.BYTES).putLong(value ^ Long.MIN_VALUE).array());
  }

  static long decodeLong(Bytes bytes) {
    return sized(bytes, Long.BYTES).getLong() ^ Long.MIN_VALUE;
  }

  static Bytes encodeBoolean(boolean value) {
    return Bytes.wrap(new byte[] {(byte) (value ? 1 : 0)});
  }

  static boolean decodeBoolean(Bytes bytes) {
    byte value = sized(bytes, 1).get();
    if (value != 0 && value != 1) {
      throw new FormatException("a truth value is 0 or 1, not " + value);
    }
    return value == 1;
  }

  static Bytes encodeUuid(UUID value) {
    return Bytes.wrap(
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(value.getMostSignificantBits())
            .putLong(value.getLeastSignificantBits())
            .array());
  }

  static UUID decodeUuid(Bytes bytes) {
    ByteBuffer in = sized(bytes, 2 * Long.BYTES);
    return new UUID(in.getLong(), in.getLong());
  }

  private static ByteBuffer sized(Bytes bytes, int size) {
    if (bytes.length() != size) {
      throw new FormatException("expected " + size + " bytes, found " + bytes);
    }
    return ByteBuffer.wrap(bytes.toArray());
  }
}
