package io.github.stablecut.map;

import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The records of a scan one after the other, as of one moment, read while one goes on. To be
 * closed. Confined to one thread.
 *
 * <p>One that has thrown what asks to try again may be used again: it goes on with the record that
 * it could not read, or throws that another scan has to be begun, but leaves none out.
 */
public interface TableCursor extends Iterator<TableRecord>, AutoCloseable {
  /** The records that are still to come, once. Closing the stream closes this. */
  default Stream<TableRecord> stream() {
    int characteristics = Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.NONNULL;
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, characteristics), false)
        .onClose(this::close);
  }

  /** The records that are still to come; closes this. */
  default List<TableRecord> toList() {
    try (Stream<TableRecord> all = stream()) {
      return all.toList();
    }
  }

  /** Ends the scan: there are no further records. Idempotent. */
  @Override
  void close();
}
