package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.PnCounter;
import java.util.List;

/** A minimal commit: of one object, without effects. */
record MinimalCommit(VectorClock commitVector, Bytes id) implements CommittedTransaction {
  @Override
  public int length() {
    return 1;
  }

  @Override
  public void forEachWritten(CommittedTransaction.Visitor visitor) {
    visitor.written(id, PnCounter.TYPE, List.of());
  }
}
