package io.github.stablecut.object;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.QuestionCodec;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Names of types and operations. A log represents an operation by the name of its type, a dot, and
 * its own name. In the type's name, a backslash precedes each dot and backslash.
 */
final class OperationNames {
  /** The maximum size of a name in bytes. */
  static final int MAX_BYTES = 255;

  private static final char DOT = '.';
  private static final char ESCAPE = '\\';

  private OperationNames() {}

  /**
   * Checks a name and returns it.
   *
   * @param what describes the thing that has the name
   */
  @CanIgnoreReturnValue
  static String checked(String what, String name) {
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the name of %s has 1 to %d bytes of UTF-8, not %,d: \"%s\""
              .formatted(what, MAX_BYTES, length, name.substring(0, Math.min(40, name.length()))));
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw new IllegalArgumentException(
          "the name of %s has half of a surrogate pair: use complete Unicode characters"
              .formatted(what));
    }
    return name;
  }

  /** Returns the bytes that represent an operation in logs. */
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

  /**
   * Returns the name of the type in bytes made by {@link #call}; empty if the bytes have another
   * form.
   */
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

  /** The two parts of an entry or a state in a log: a name, and the rest. */
  record NamedBytes(Bytes name, Bytes rest) {
    Bytes encoded() {
      return QuestionCodec.encode(
          out -> {
            out.writeBytes(name);
            out.writeBytes(rest);
          });
    }

    static NamedBytes of(Bytes encoded) {
      return QuestionCodec.decode(encoded, in -> new NamedBytes(in.readBytes(), in.readBytes()));
    }

    /** Returns the parts of an entry; empty if it is not a call. */
    static Optional<NamedBytes> ifCall(Bytes entry) {
      try {
        return Optional.of(of(entry));
      } catch (FormatException e) {
        return Optional.empty();
      }
    }
  }
}
