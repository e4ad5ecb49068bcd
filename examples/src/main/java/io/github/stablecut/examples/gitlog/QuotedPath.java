package io.github.stablecut.examples.gitlog;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Paths as git writes them: literally, or, with unusual characters, in double quotes with the
 * escapes of C (git's documentation of {@code core.quotePath}).
 */
final class QuotedPath {
  private static final Pattern PART =
      Pattern.compile("([^\"\\\\]+)|\\\\([0-3][0-7]{2})|\\\\([abtnvfr\"\\\\])");

  private static final String ESCAPED = "abtnvfr\"\\";
  private static final byte[] MEANT = {7, '\b', '\t', '\n', 11, '\f', '\r', '"', '\\'};

  private QuotedPath() {}

  /**
   * Decodes a path; empty if the text is malformed. A path that is not UTF-8 stays quoted, so that
   * two such paths stay distinct.
   */
  static Optional<String> decode(String text) {
    if (!text.startsWith("\"")) {
      return Optional.of(text);
    }
    if (text.length() < 3 || !text.endsWith("\"")) {
      return Optional.empty();
    }
    return unescape(text.substring(1, text.length() - 1)).map(bytes -> utf8(bytes, text));
  }

  private static String utf8(byte[] bytes, String otherwise) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return otherwise;
    }
  }

  private static Optional<byte[]> unescape(String quoted) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(quoted.length());
    Matcher part = PART.matcher(quoted);
    for (int at = 0; at < quoted.length(); at = part.end()) {
      if (!part.region(at, quoted.length()).lookingAt()) {
        return Optional.empty();
      }
      if (part.group(1) != null) {
        bytes.writeBytes(part.group(1).getBytes(UTF_8));
      } else if (part.group(2) != null) {
        bytes.write(Integer.parseInt(part.group(2), 8));
      } else {
        bytes.write(MEANT[ESCAPED.indexOf(part.group(3))]);
      }
    }
    return Optional.of(bytes.toByteArray());
  }
}
