package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.watch.CommittedTransaction;
import io.github.stablecut.journal.PendingRecord;
import java.util.Optional;

/**
 * A record that is ordered and submitted to the journal. The thread that flushes groups reports its
 * outcome, once: first durable, then success; or failure.
 */
public abstract sealed class SequencedRecord extends PendingRecord
    permits AwaitedRecord, ProtocolRecord {
  SequencedRecord(byte kind, byte[] body) {
    super(kind, body, body.length);
  }

  /** The record is durable; it becomes visible with the rest of its group. */
  abstract void durable(DurableGroup group);

  /** The transaction that this record commits, as watches see it; empty if it commits none. */
  abstract Optional<CommittedTransaction> committed();

  /** The group is visible. */
  abstract void succeed();

  /** The journal has failed; the next opening finds out whether the record is durable. */
  abstract void fail(StablecutException failure);
}
