package io.github.stablecut.examples.trace;

import io.github.stablecut.examples.trace.Trace.Transaction;

/** A text on which a trace is replayed. */
public interface Document {
  /**
   * Executes the patches of a transaction in one transaction on the current text.
   *
   * @throws io.github.stablecut.crdt.OperationRefusedException if a position does not exist
   */
  void edit(Transaction transaction);

  /** The current text. */
  String text();

  /**
   * The size of the stored text in bytes, once every replica has received everything, so that no
   * tombstones are needed.
   */
  long encodedBytes();
}
