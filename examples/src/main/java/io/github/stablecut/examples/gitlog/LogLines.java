package io.github.stablecut.examples.gitlog;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.error.IoReason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * The numbered lines of a log. Only a line feed ends a line, because names may contain carriage
 * returns. Bytes that are not UTF-8 become U+FFFD. Confined to one thread.
 */
final class LogLines {
  /** The longest path has 4,096 bytes, each of which git may quote with four. */
  private static final int MAX_BYTES = 64 << 10;

  private final InputStream in;
  private final String name;
  private final byte[] buffer = new byte[8 << 10];
  private int at;
  private int end;
  private long number;

  /**
   * @param in the log; not closed
   * @param name the log's name, for messages
   */
  LogLines(InputStream in, String name) {
    this.in = in;
    this.name = name;
  }

  /** Reads the next line; empty at the end. */
  Optional<String> next() {
    try {
      if (!fill()) {
        return Optional.empty();
      }
      number++;
      return Optional.of(line().toString(UTF_8));
    } catch (IOException e) {
      throw new GitLogException(
          "%s can't be read after line %,d: %s".formatted(name, number, IoReason.of(e)), e);
    }
  }

  private ByteArrayOutputStream line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(128);
    while (fill()) {
      int from = at;
      while (at < end && buffer[at] != '\n') {
        at++;
      }
      line.write(buffer, from, at - from);
      if (line.size() > MAX_BYTES) {
        throw malformed("a line of at most %,d bytes".formatted(MAX_BYTES), "a longer one");
      }
      if (at < end) {
        at++;
        break;
      }
    }
    return line;
  }

  /** Fills an empty buffer; returns false at the end of the log. */
  private boolean fill() throws IOException {
    if (at == end) {
      at = 0;
      end = Math.max(0, in.read(buffer));
    }
    return at < end;
  }

  /** The exception for the last line read. */
  GitLogException malformed(String expected, String found) {
    return new GitLogException(
        "line %,d of %s should be %s, but is %s: make the log with the command that `examples/run gitlog import --help` shows"
            .formatted(number, name, expected, found));
  }
}
