package io.github.stablecut.internal.partition;

import io.github.stablecut.error.StablecutException;
import io.github.stablecut.journal.PendingRecord;

/**
 * A record of a partition on its way into the journal. It is told what became of it, once, by the
 * thread that flushes groups: that it is durable and then that it has succeeded, or that it has
 * failed.
 */
abstract sealed class SequencedRecord extends PendingRecord permits AwaitedRecord, ProtocolRecord {
  SequencedRecord(byte kind, byte[] body) {
    super(kind, body, body.length);
  }

  /** The record is durable; what it stands for is made visible with the rest of its group. */
  abstract void durable(DurableGroup group);

  /** What the group committed is visible. */
  abstract void succeed();

  /** The journal failed; nobody knows about the record before the next opening. */
  abstract void fail(StablecutException failure);
}
