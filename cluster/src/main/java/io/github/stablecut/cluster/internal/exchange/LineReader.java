package io.github.stablecut.cluster.internal.exchange;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Reads lines as bytes, up to a maximum length. Confined to one thread. */
final class LineReader {
  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream in;
  private final int maxBytes;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int from;
  private int to;
  private long number;

  /**
   * @param in read from its current position; not closed
   * @param maxBytes the maximum length of a line
   */
  LineReader(InputStream in, int maxBytes) {
    this.in = in;
    this.maxBytes = maxBytes;
  }

  /** Returns the number of the line read last, starting at 1. */
  long number() {
    return number;
  }

  /**
   * Returns the next line without its terminator; empty at the end.
   *
   * @throws MalformedLineException if the line is too long
   */
  Optional<byte[]> next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    boolean isFound = false;
    while (fill()) {
      if (!isFound) {
        isFound = true;
        number++;
      }
      int end = from;
      while (end < to && buffer[end] != '\n') {
        end++;
      }
      if (line.size() + (end - from) > maxBytes) {
        throw new MalformedLineException("it has more than %,d bytes".formatted(maxBytes));
      }
      line.write(buffer, from, end - from);
      from = end;
      if (end < to) {
        from++;
        break;
      }
    }
    return isFound ? Optional.of(line.toByteArray()) : Optional.empty();
  }

  /** Fills an empty buffer; returns false at the end of the stream. */
  private boolean fill() throws IOException {
    if (from == to) {
      from = 0;
      to = Math.max(0, in.read(buffer));
    }
    return from < to;
  }
}
