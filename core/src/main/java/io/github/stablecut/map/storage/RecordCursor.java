package io.github.stablecut.map.storage;

import java.util.Iterator;

/**
 * Records of a scan, one after the other, read on demand. Close it after use. Confined to one
 * thread.
 */
public interface RecordCursor extends Iterator<RecordEntry>, AutoCloseable {
  /** Ends the scan. Idempotent. */
  @Override
  void close();
}
