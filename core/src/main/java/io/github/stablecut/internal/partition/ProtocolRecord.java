package io.github.stablecut.internal.partition;

import io.github.stablecut.error.StablecutException;
import java.util.function.LongConsumer;

/**
 * A record of which something is to be done once it is durable. If the journal fails nothing is:
 * whoever waits asks after the next opening.
 */
final class ProtocolRecord extends SequencedRecord {
  private final LongConsumer durable;

  /**
   * @param durable is given the record's position
   */
  ProtocolRecord(byte kind, byte[] body, LongConsumer durable) {
    super(kind, body);
    this.durable = durable;
  }

  @Override
  void durable(DurableGroup group) {
    // It commits nothing.
  }

  @Override
  void succeed() {
    durable.accept(position());
  }

  @Override
  void fail(StablecutException failure) {
    // Nothing is known, so nothing is told.
  }
}
