package io.github.stablecut.internal.replica;

/**
 * A record of a journal on its way to another copy. Nobody changes the body.
 *
 * @param kind what it is to the partition, 0 to 127
 * @param body its bytes
 */
@SuppressWarnings("ArrayRecordComponent") // not compared, and not copied: it may be large
public record LogRecord(byte kind, byte[] body) {}
