package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.internal.watch.CommittedTransaction;
import java.util.Optional;

/** A record that repeats what the partition's state already has. */
public final class SavedRecord extends AwaitedRecord {
  public SavedRecord(byte kind, byte[] body) {
    super(kind, body);
  }

  @Override
  void durable(DurableGroup group) {
    // The state has it already.
  }

  @Override
  Optional<CommittedTransaction> committed() {
    return Optional.empty();
  }
}
