package io.github.stablecut.cluster.internal.exchange;

import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The lines that {@link ExportWriter} writes, in parts on demand. Confined to one thread. */
public final class ExportLines implements AutoCloseable {
  private static final int PART_BYTES = 1 << 16;

  private final Snapshot snapshot;
  private final Scan scan;

  /** Starts with the first object of a snapshot, which is not closed. */
  public ExportLines(Snapshot snapshot) {
    this.snapshot = snapshot;
    this.scan = snapshot.scan();
  }

  /** Returns whether there are more lines. */
  public boolean hasNext() {
    return scan.hasNext();
  }

  /** Returns the next complete lines: about 64 KiB, or a longer single line. */
  public byte[] next() {
    ByteArrayOutputStream lines = new ByteArrayOutputStream(PART_BYTES);
    try {
      do {
        lines.write(ExportWriter.line(snapshot, scan.next()));
        lines.write('\n');
      } while (lines.size() < PART_BYTES && scan.hasNext());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return lines.toByteArray();
  }

  @Override
  public void close() {
    scan.close();
  }
}
