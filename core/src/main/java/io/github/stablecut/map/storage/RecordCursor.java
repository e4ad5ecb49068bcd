package io.github.stablecut.map.storage;

import java.util.Iterator;

/** Records one after the other, read while one goes on. To be closed. Confined to one thread. */
public interface RecordCursor extends Iterator<RecordEntry>, AutoCloseable {
  /** Ends the scan. Idempotent. */
  @Override
  void close();
}
