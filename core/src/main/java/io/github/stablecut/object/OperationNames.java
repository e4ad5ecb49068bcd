package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.QuestionCodec;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Names of types and operations. What stands for an operation in a log is the name of its type, a
 * dot, and its own; in the name of the type, dots and backslashes have a backslash before them.
 */
final class OperationNames {
  /** The most bytes of a name. */
  static final int MAX_BYTES = 255;

  private static final char DOT = '.';
  private static final char ESCAPE = '\\';

  private OperationNames() {}

  /**
   * A name, checked.
   *
   * @param what has the name
   */
  static String checked(String what, String name) {
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the name of %s has 1 to %d bytes of UTF-8, not %,d: \"%s\""
              .formatted(what, MAX_BYTES, length, name.substring(0, Math.min(40, name.length()))));
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw new IllegalArgumentException(
          "the name of %s has half of a surrogate pair: take characters of Unicode"
              .formatted(what));
    }
    return name;
  }

  /** What stands for an operation in logs. */
  static Bytes call(String type, String operation) {
    StringBuilder call = new StringBuilder();
    for (int i = 0; i < type.length(); i++) {
      char one = type.charAt(i);
      if (one == DOT || one == ESCAPE) {
        call.append(ESCAPE);
      }
      call.append(one);
    }
    return Bytes.utf8(call.append(DOT).append(operation).toString());
  }

  /** The name of the type in what {@link #call} has made; empty if it has not. */
  static Optional<String> typeOf(Bytes call) {
    String text = call.toUtf8();
    StringBuilder type = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char one = text.charAt(i);
      if (one == DOT) {
        return Optional.of(type.toString());
      }
      i += one == ESCAPE ? 1 : 0;
      if (i < text.length()) {
        type.append(text.charAt(i));
      }
    }
    return Optional.empty();
  }

  /** Two parts of an entry or a state in a log: a name, and the rest. */
  record Named(Bytes name, Bytes rest) {
    Bytes encoded() {
      return QuestionCodec.encode(
          out -> {
            out.writeBytes(name);
            out.writeBytes(rest);
          });
    }

    static Named of(Bytes encoded) {
      return QuestionCodec.decode(encoded, in -> new Named(in.readBytes(), in.readBytes()));
    }

    /** What an entry consists of; empty if it is no call of anything. */
    static Optional<Named> ifCall(Bytes entry) {
      try {
        return Optional.of(of(entry));
      } catch (FormatException e) {
        return Optional.empty();
      }
    }
  }
}
