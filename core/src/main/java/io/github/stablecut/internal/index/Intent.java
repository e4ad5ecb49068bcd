package io.github.stablecut.internal.index;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.record.TransactionId;

/**
 * A prepared transaction's intent to write an object. If it commits, its commit time is at or after
 * the prepare time.
 *
 * @param transaction the transaction, whose outcome is not known here yet
 * @param time its prepare time on this partition
 * @param type the type as which it writes the object; the object gets the type when the transaction
 *     commits
 */
public record Intent(TransactionId transaction, long time, CrdtType<?, ?, ?, ?> type) {}
