package io.github.stablecut.internal.partition;

import io.github.stablecut.internal.record.ClockRecord;
import io.github.stablecut.internal.record.RecordKind;

/** A higher ceiling of the clock on its way to the journal. */
final class ClockRequest extends AwaitedRecord {
  private final long ceiling;

  ClockRequest(long ceiling) {
    super(RecordKind.CLOCK, ClockRecord.encode(ceiling));
    this.ceiling = ceiling;
  }

  long ceiling() {
    return ceiling;
  }
}
