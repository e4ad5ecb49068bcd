package io.github.stablecut.internal.replica;

/**
 * A journal record in transit to another replica. The body must not change.
 *
 * @param kind its meaning to the partition, 0 to 127
 * @param body its bytes
 */
@SuppressWarnings("ArrayRecordComponent") // not compared, and not copied: it may be large
public record LogRecord(byte kind, byte[] body) {}
