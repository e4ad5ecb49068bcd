package io.github.stablecut.internal.index;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.record.TransactionId;

/**
 * The announcement that a transaction will write an object if it is committed, at or after a time.
 *
 * @param transaction whose outcome is not known here
 * @param time its prepare time on this partition
 * @param type what it writes the object as; the object has that type only once it is committed
 */
public record Intent(TransactionId transaction, long time, CrdtType<?, ?, ?, ?> type) {}
