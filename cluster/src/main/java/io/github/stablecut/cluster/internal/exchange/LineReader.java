package io.github.stablecut.cluster.internal.exchange;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Reads lines as bytes, none of them longer than a limit. Confined to one thread. */
final class LineReader {
  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream in;
  private final int maxBytes;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int from;
  private int to;
  private long number;

  /**
   * @param in read from where it is; not closed
   * @param maxBytes the length of the longest line that is read
   */
  LineReader(InputStream in, int maxBytes) {
    this.in = in;
    this.maxBytes = maxBytes;
  }

  /** The number of the line that was read last, 1 for the first. */
  long number() {
    return number;
  }

  /**
   * The next line without its end; empty if there is none.
   *
   * @throws MalformedLineException if it is too long
   */
  Optional<byte[]> next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    boolean isThere = false;
    while (fill()) {
      if (!isThere) {
        isThere = true;
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
    return isThere ? Optional.of(line.toByteArray()) : Optional.empty();
  }

  /** Sees to it that there are bytes in the buffer; false if there are none any more. */
  private boolean fill() throws IOException {
    if (from == to) {
      from = 0;
      to = Math.max(0, in.read(buffer));
    }
    return from < to;
  }
}
