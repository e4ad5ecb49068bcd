package io.github.stablecut.journal.segment;

/**
 * A record read from the journal. Immutable except for the body, which belongs to the reader.
 *
 * @param position where it is ({@link Position})
 * @param sequence the sequence of its first frame
 * @param kind the caller's kind of record
 * @param body a copy of what was appended
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, and never compared
public record StoredRecord(long position, long sequence, byte kind, byte[] body) {}
