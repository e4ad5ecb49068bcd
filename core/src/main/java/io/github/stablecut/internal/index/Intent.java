package io.github.stablecut.internal.index;

import io.github.stablecut.internal.record.TransactionId;

/**
 * The announcement that a transaction will write an object if it is committed, at or after a time.
 *
 * @param transaction whose outcome is not known here
 * @param time its prepare time on this partition
 */
public record Intent(TransactionId transaction, long time) {}
