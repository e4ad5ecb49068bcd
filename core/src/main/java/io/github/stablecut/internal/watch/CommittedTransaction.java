package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import java.util.List;

/** A committed transaction as its partition has it. Immutable once it is committed. */
public interface CommittedTransaction {
  /** Is shown what a transaction has written. */
  @FunctionalInterface
  interface Visitor {
    /**
     * An object, as a type that it was written as.
     *
     * @param effects what was done to it, encoded, in order; not to be changed
     */
    void written(Bytes id, CrdtType<?, ?, ?, ?> type, List<byte[]> effects);
  }

  /** Its commit vector. */
  VectorClock commitVector();

  /** The bytes of its record. */
  int length();

  /** Shows the objects that it has written, each once as each type that it was written as. */
  void forEachWritten(Visitor visitor);
}
