package io.github.stablecut.journal.segment;

/** Decides whether a scan reads a large record, before it allocates memory for the record. */
@FunctionalInterface
public interface LargeRecords {
  /** Larger records are large. */
  int LARGE_BYTES = 64 << 10;

  /** Reads all. */
  LargeRecords ALL = (position, bytes) -> Decision.READ;

  /** The treatment of a large record by a scan. */
  enum Decision {
    /** Assembles the record and passes it to the visitor. */
    READ,
    /** Continues with the next record. */
    SKIP,
    /** Ends the scan before the record. */
    STOP
  }

  /**
   * Decides about a record. Must not block: the scan holds a segment.
   *
   * @param position where the record begins
   * @param bytes the size of its body, or the maximum size of a record if its body has several
   *     frames
   */
  Decision decide(long position, long bytes);
}
