package io.github.stablecut.internal.index;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.record.TransactionId;

/**
 * A prepared transaction's intent to write an object. If it commits, then at or after the prepare
 * time.
 *
 * @param transaction whose outcome is not known here yet
 * @param time its prepare time on this partition
 * @param type the type that it writes the object with; the object gets the type at the commit
 */
public record Intent(TransactionId transaction, long time, CrdtType<?, ?, ?, ?> type) {}
