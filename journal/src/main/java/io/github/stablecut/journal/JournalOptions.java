package io.github.stablecut.journal;

/**
 * The settings of a {@link Journal}. Immutable.
 *
 * @param name the journal's name in messages and in the name of its thread
 * @param firstSegment the oldest segment that the caller needs, which must exist; older ones are
 *     deleted at open. 0: the oldest that exists
 * @param segmentBytes the size above which a new segment is started
 * @param maxRecordBytes the largest body
 * @param queueBytes {@link Journal#awaitCapacity} blocks while records with more bytes than this
 *     are not durable
 * @param reserveBytes records are refused while the disk has less free space than this; leaves
 *     space for queued records
 * @param end at open the log is cut off before the record of this number, and must reach it; {@link
 *     #WHOLE}: nothing is cut off
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

  /** The default settings for a journal of this name. */
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

  /** Returns these settings with another oldest segment. */
  public JournalOptions withFirstSegment(int segment) {
    return new JournalOptions(
        name, segment, segmentBytes, maxRecordBytes, queueBytes, reserveBytes, end);
  }

  /** Returns these settings with another segment size. */
  public JournalOptions withSegmentBytes(int bytes) {
    return new JournalOptions(
        name, firstSegment, bytes, maxRecordBytes, queueBytes, reserveBytes, end);
  }

  /** Returns these settings with another record limit. */
  public JournalOptions withMaxRecordBytes(int bytes) {
    return new JournalOptions(
        name, firstSegment, segmentBytes, bytes, queueBytes, reserveBytes, end);
  }

  /** Returns these settings with another queue bound. */
  public JournalOptions withQueueBytes(long bytes) {
    return new JournalOptions(
        name, firstSegment, segmentBytes, maxRecordBytes, bytes, reserveBytes, end);
  }

  /** Returns these settings with another reserve. */
  public JournalOptions withReserveBytes(long bytes) {
    return new JournalOptions(
        name, firstSegment, segmentBytes, maxRecordBytes, queueBytes, bytes, end);
  }

  /** Returns these settings with another end. */
  public JournalOptions withEnd(long number) {
    return new JournalOptions(
        name, firstSegment, segmentBytes, maxRecordBytes, queueBytes, reserveBytes, number);
  }
}
