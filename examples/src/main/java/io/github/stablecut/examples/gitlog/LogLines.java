package io.github.stablecut.examples.gitlog;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * The lines of a log, with their numbers. A line ends at a line feed and at nothing else, because
 * names may hold carriage returns. Bytes that are not UTF-8 become U+FFFD. Confined to one thread.
 */
final class LogLines {
  /** The longest path is 4,096 bytes, each of which git may quote with four. */
  private static final int MAX_BYTES = 64 << 10;

  private final InputStream in;
  private final String name;
  private long number;

  /**
   * @param in what to read; not closed
   * @param name what it is called, for messages
   */
  LogLines(InputStream in, String name) {
    this.in = new BufferedInputStream(in, MAX_BYTES);
    this.name = name;
  }

  /** The next line; empty at the end. */
  Optional<String> next() {
    try {
      ByteArrayOutputStream line = new ByteArrayOutputStream(128);
      int b = in.read();
      if (b < 0) {
        return Optional.empty();
      }
      number++;
      for (; b >= 0 && b != '\n'; b = in.read()) {
        line.write(b);
        if (line.size() > MAX_BYTES) {
          throw malformed("a line of at most %,d bytes".formatted(MAX_BYTES), "a longer one");
        }
      }
      return Optional.of(line.toString(UTF_8));
    } catch (IOException e) {
      throw new GitLogException(
          "%s can't be read after line %,d: %s".formatted(name, number, e), e);
    }
  }

  /** An exception that says what the line read last should be. */
  GitLogException malformed(String expected, String found) {
    return new GitLogException(
        "line %,d of %s should be %s, but is %s: make the log with the command that `examples/run gitlog import --help` shows"
            .formatted(number, name, expected, found));
  }
}
