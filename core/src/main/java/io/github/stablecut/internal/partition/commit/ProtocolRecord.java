package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.watch.CommittedTransaction;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * A record of the commit protocol, with an action that runs once it is durable. If the journal
 * fails, the action never runs, and the other side asks again after the next opening.
 */
public final class ProtocolRecord extends SequencedRecord {
  private final LongConsumer durable;

  /**
   * @param durable receives the record's position
   */
  public ProtocolRecord(byte kind, byte[] body, LongConsumer durable) {
    super(kind, body);
    this.durable = durable;
  }

  @Override
  void durable(DurableGroup group) {
    // It commits nothing.
  }

  @Override
  Optional<CommittedTransaction> committed() {
    return Optional.empty();
  }

  @Override
  void succeed() {
    durable.accept(position());
  }

  @Override
  void fail(StablecutException failure) {
    // The outcome is unknown, so nothing is reported.
  }
}
