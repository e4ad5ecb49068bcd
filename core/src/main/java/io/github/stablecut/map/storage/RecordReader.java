package io.github.stablecut.map.storage;

import java.util.Collection;
import java.util.Map;

/** Reads records. */
public interface RecordReader {
  /**
   * Returns those of the requested records that exist, at one moment. Sees all that was
   * acknowledged before the call.
   *
   * @param ids may be empty
   */
  Map<RecordId, Cells> read(Collection<RecordId> ids);

  /**
   * Returns the records of a range, in order, at one moment; it misses later writes. Close the
   * cursor after use.
   */
  RecordCursor scan(RecordRange range);
}
