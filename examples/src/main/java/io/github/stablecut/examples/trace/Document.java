package io.github.stablecut.examples.trace;

import io.github.stablecut.examples.trace.Trace.Transaction;

/** A text that a trace is replayed on. */
public interface Document {
  /**
   * Executes the patches of a transaction, as one transaction, on the text as it is.
   *
   * @throws io.github.stablecut.crdt.OperationRefusedException if there is no such position
   */
  void edit(Transaction transaction);

  /** The text as it is. */
  String text();

  /**
   * How many bytes the text takes when it is stored, once every replica has received everything so
   * that nothing of what was deleted needs to be remembered.
   */
  long encodedBytes();
}
