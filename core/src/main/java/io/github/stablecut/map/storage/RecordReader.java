package io.github.stablecut.map.storage;

import java.util.Collection;
import java.util.Map;

/** What records are read from. */
public interface RecordReader {
  /**
   * Those of some records that are there, at one moment. Sees all that was acknowledged before the
   * call.
   *
   * @param ids may be empty
   */
  Map<RecordId, Cells> read(Collection<RecordId> ids);

  /**
   * The records of a range, in order, at one moment; what is written meanwhile is not seen. To be
   * closed.
   */
  RecordCursor scan(RecordRange range);
}
