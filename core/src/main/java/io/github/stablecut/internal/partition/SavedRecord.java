package io.github.stablecut.internal.partition;

import io.github.stablecut.internal.watch.CommittedTransaction;
import java.util.Optional;

/** A record that repeats what the partition's state already has. */
final class SavedRecord extends AwaitedRecord {
  SavedRecord(byte kind, byte[] body) {
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
