package io.github.stablecut.map;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Bytes of several values one after the other, whose order is that of the lists of values. A value
 * of a type whose values vary in length has each byte 0 doubled as 0 255, and 0 1 at its end; in a
 * descending column, all bits of a value are turned. No list's bytes begin like those of a list
 * that it doesn't begin with.
 */
final class KeyCodec {
  private KeyCodec() {}

  /** One column of a key. */
  record Part(ColumnType type, boolean isDescending) {}

  /** The bytes of values of the first columns of a key. */
  static Bytes encode(List<Part> parts, List<Object> values) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < values.size(); i++) {
      write(parts.get(i), values.get(i), out);
    }
    return Bytes.wrap(out.toByteArray());
  }

  private static void write(Part part, Object value, ByteArrayOutputStream out) {
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
   * The values that some bytes stand for.
   *
   * @throws FormatException if they are not the bytes of one value per part
   */
  static List<Object> decode(List<Part> parts, Bytes bytes) {
    List<Object> values = new ArrayList<>(parts.size());
    int at = 0;
    for (Part part : parts) {
      ByteArrayOutputStream value = new ByteArrayOutputStream();
      at = read(part, bytes, at, value);
      values.add(part.type.decode(Bytes.wrap(value.toByteArray())));
    }
    if (at != bytes.length()) {
      throw new FormatException(
          "a key goes on after its %d values: %s".formatted(parts.size(), bytes));
    }
    return values;
  }

  private static int read(Part part, Bytes bytes, int from, ByteArrayOutputStream value) {
    int turned = part.isDescending ? 255 : 0;
    int at = from;
    if (part.type.length() > 0) {
      for (int i = 0; i < part.type.length(); i++) {
        value.write(next(bytes, at++) ^ turned);
      }
      return at;
    }
    while (true) {
      int here = next(bytes, at++) ^ turned;
      if (here == 0) {
        int mark = next(bytes, at++) ^ turned;
        if (mark == 1) {
          return at;
        }
        if (mark != 255) {
          throw new FormatException("a key has 0 followed by %d: %s".formatted(mark, bytes));
        }
      }
      value.write(here);
    }
  }

  private static int next(Bytes bytes, int at) {
    if (at >= bytes.length()) {
      throw new FormatException("a key ends in the middle of a value: " + bytes);
    }
    return bytes.at(at);
  }

  /** The least bytes above all that begin with some; empty if there are none. */
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
