package io.github.stablecut.cluster.internal.exchange;

import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The lines that {@link ExportWriter} writes, as many at a time as somebody can take. Confined to
 * one thread.
 */
public final class ExportLines implements AutoCloseable {
  private static final int FILLED_BYTES = 1 << 16;

  private final Snapshot snapshot;
  private final Scan scan;

  /** The objects of a snapshot, which is left open. */
  public ExportLines(Snapshot snapshot) {
    this.snapshot = snapshot;
    this.scan = snapshot.scan();
  }

  /** Whether there are more. */
  public boolean hasNext() {
    return scan.hasNext();
  }

  /** Whole lines: about 64 KiB of them, or one that is longer. */
  public byte[] next() {
    ByteArrayOutputStream lines = new ByteArrayOutputStream(FILLED_BYTES);
    try {
      do {
        lines.write(ExportWriter.line(snapshot, scan.next()));
        lines.write('\n');
      } while (lines.size() < FILLED_BYTES && scan.hasNext());
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
