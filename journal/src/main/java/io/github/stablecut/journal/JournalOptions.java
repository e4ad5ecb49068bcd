package io.github.stablecut.journal;

/**
 * The settings of a {@link Journal}. Immutable.
 *
 * @param name what the journal is called in messages and in the name of its thread
 * @param firstSegment the oldest segment that the caller still needs, which has to be there; older
 *     ones are deleted at open. 0: whichever is the oldest.
 * @param segmentBytes a segment that would grow above this is followed by a new one
 * @param maxRecordBytes the largest body
 * @param queueBytes above this many bytes of records that are not durable {@link
 *     Journal#awaitCapacity} blocks
 * @param reserveBytes with less room than this on the disk records are refused; leaves room for
 *     what is queued
 * @param end the log is cut off at its open before the record of this number, and has to reach
 *     there; {@link #WHOLE}: nothing is cut off
 */
public record JournalOptions(
    String name,
    int firstSegment,
    int segmentBytes,
    int maxRecordBytes,
    long queueBytes,
    long reserveBytes,
    long end) {
  /** The {@link #end} of a log that is not cut off. */
  public static final long WHOLE = Long.MAX_VALUE;

  /** The settings for a journal of this name that are right unless measured otherwise. */
  public static JournalOptions named(String name) {
    return new JournalOptions(name, 0, 128 << 20, 256 << 20, 64 << 20, 192 << 20, WHOLE);
  }

  /** Checks the ranges. */
  public JournalOptions {
    if (firstSegment < 0
        || segmentBytes < 4096
        || segmentBytes > 1 << 30
        || maxRecordBytes < 0
        || queueBytes < 1
        || reserveBytes < 0
        || end < 1) {
      throw new IllegalArgumentException(
          "options out of range: firstSegment %d, segmentBytes %d, maxRecordBytes %d, queueBytes %d, reserveBytes %d, end %d"
              .formatted(
                  firstSegment, segmentBytes, maxRecordBytes, queueBytes, reserveBytes, end));
    }
  }

  /** These settings with another oldest segment. */
  public JournalOptions withFirstSegment(int segment) {
    return new JournalOptions(
        name, segment, segmentBytes, maxRecordBytes, queueBytes, reserveBytes, end);
  }

  /** These settings with another segment size. */
  public JournalOptions withSegmentBytes(int bytes) {
    return new JournalOptions(
        name, firstSegment, bytes, maxRecordBytes, queueBytes, reserveBytes, end);
  }

  /** These settings with another record limit. */
  public JournalOptions withMaxRecordBytes(int bytes) {
    return new JournalOptions(
        name, firstSegment, segmentBytes, bytes, queueBytes, reserveBytes, end);
  }

  /** These settings with another queue bound. */
  public JournalOptions withQueueBytes(long bytes) {
    return new JournalOptions(
        name, firstSegment, segmentBytes, maxRecordBytes, bytes, reserveBytes, end);
  }

  /** These settings with another reserve. */
  public JournalOptions withReserveBytes(long bytes) {
    return new JournalOptions(
        name, firstSegment, segmentBytes, maxRecordBytes, queueBytes, bytes, end);
  }

  /** These settings with another end. */
  public JournalOptions withEnd(long number) {
    return new JournalOptions(
        name, firstSegment, segmentBytes, maxRecordBytes, queueBytes, reserveBytes, number);
  }
}
