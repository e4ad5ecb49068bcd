package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.internal.record.ClockRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.watch.CommittedTransaction;
import java.util.Optional;

/** A record that raises the clock's ceiling. Any number of threads may wait for it. */
public final class ClockRequest extends AwaitedRecord {
  private final long ceiling;

  ClockRequest(long ceiling) {
    super(RecordKind.CLOCK, ClockRecord.encode(ceiling));
    this.ceiling = ceiling;
  }

  long ceiling() {
    return ceiling;
  }

  @Override
  void durable(DurableGroup group) {
    group.raiseCeiling(ceiling);
  }

  @Override
  Optional<CommittedTransaction> committed() {
    return Optional.empty();
  }

  @Override
  synchronized void wake() {
    notifyAll();
  }

  @Override
  synchronized void sleep() throws InterruptedException {
    while (!hasOutcome()) {
      wait();
    }
  }
}
