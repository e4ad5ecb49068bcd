package io.github.stablecut.map;

import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The records of a scan, one after the other, as of one moment; reads them on demand. Close it
 * after use. Confined to one thread.
 *
 * <p>A cursor that threw an exception asking to retry may be used again. It resumes with the record
 * that it could not read, or throws that a new scan is needed, but skips none.
 */
public interface TableCursor extends Iterator<TableRecord>, AutoCloseable {
  /** Returns the remaining records as a stream, once. Closing the stream closes this. */
  default Stream<TableRecord> stream() {
    int characteristics = Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.NONNULL;
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, characteristics), false)
        .onClose(this::close);
  }

  /** Returns the remaining records; closes this. */
  default List<TableRecord> toList() {
    try (Stream<TableRecord> all = stream()) {
      return all.toList();
    }
  }

  /** Ends the scan: there are no further records. Idempotent. */
  @Override
  void close();
}
