package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.map.ColumnType;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Encodes several values one after the other, so that the order of the bytes is that of the lists
 * of values. In a value of a type with varying length, each byte 0 is escaped as 0 255, and the
 * value ends with 0 1. In a descending column, all bits of a value are inverted. One list's bytes
 * are a prefix of another's only if the list is a prefix of the other.
 */
final class KeyCodec {
  private KeyCodec() {}

  /** One column of a key. */
  record KeyColumn(ColumnType type, boolean isDescending) {}

  /** Returns the bytes of the values of the first columns of a key. */
  static Bytes encode(List<KeyColumn> parts, List<Object> values) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < values.size(); i++) {
      write(parts.get(i), values.get(i), out);
    }
    return Bytes.wrap(out.toByteArray());
  }

  private static void write(KeyColumn part, Object value, ByteArrayOutputStream out) {
    int turned = part.isDescending ? 255 : 0;
    Bytes bytes = part.type.encode(value);
    boolean isDelimited = part.type.length() == 0;
    for (int i = 0; i < bytes.length(); i++) {
      out.write(bytes.at(i) ^ turned);
      if (isDelimited && bytes.at(i) == 0) {
        out.write(255 ^ turned);
      }
    }
    if (isDelimited) {
      out.write(turned);
      out.write(1 ^ turned);
    }
  }

  /**
   * Returns the values that some bytes encode.
   *
   * @throws FormatException if they are not the bytes of one value per part
   */
  static List<Object> decode(List<KeyColumn> parts, Bytes bytes) {
    List<Object> values = new ArrayList<>(parts.size());
    int at = 0;
    for (KeyColumn part : parts) {
      ByteArrayOutputStream value = new ByteArrayOutputStream();
      at = read(part, bytes, at, value);
      values.add(part.type.decode(Bytes.wrap(value.toByteArray())));
    }
    if (at != bytes.length()) {
      throw new FormatException(
          "a key has more bytes after its %d values: %s".formatted(parts.size(), bytes));
    }
    return values;
  }

  private static int read(KeyColumn part, Bytes bytes, int from, ByteArrayOutputStream value) {
    int turned = part.isDescending ? 255 : 0;
    int at = from;
    if (part.type.length() > 0) {
      for (int i = 0; i < part.type.length(); i++) {
        value.write(next(bytes, at++) ^ turned);
      }
      return at;
    }
    while (true) {
      int current = next(bytes, at++) ^ turned;
      if (current == 0) {
        int mark = next(bytes, at++) ^ turned;
        if (mark == 1) {
          return at;
        }
        if (mark != 255) {
          throw new FormatException("a key has 0 followed by %d: %s".formatted(mark, bytes));
        }
      }
      value.write(current);
    }
  }

  private static int next(Bytes bytes, int at) {
    if (at >= bytes.length()) {
      throw new FormatException("a key ends in the middle of a value: " + bytes);
    }
    return bytes.at(at);
  }

  /** Returns the least bytes above all that have a prefix; empty if there are none. */
  static Optional<Bytes> afterPrefix(Bytes prefix) {
    int length = prefix.length();
    while (length > 0 && prefix.at(length - 1) == 255) {
      length--;
    }
    if (length == 0) {
      return Optional.empty();
    }
    byte[] end = prefix.slice(0, length).toArray();
    end[length - 1]++;
    return Optional.of(Bytes.wrap(end));
  }

  static Bytes join(Bytes one, Bytes other) {
    byte[] joined = new byte[one.length() + other.length()];
    one.copyInto(joined, 0);
    other.copyInto(joined, one.length());
    return Bytes.wrap(joined);
  }
}
