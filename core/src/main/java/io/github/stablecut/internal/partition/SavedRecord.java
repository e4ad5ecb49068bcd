package io.github.stablecut.internal.partition;

/** A record that one thread waits for, and that is nothing else. */
final class SavedRecord extends AwaitedRecord {
  SavedRecord(byte kind, byte[] body) {
    super(kind, body);
  }

  @Override
  void durable(DurableGroup group) {
    // It says again what is known.
  }
}
