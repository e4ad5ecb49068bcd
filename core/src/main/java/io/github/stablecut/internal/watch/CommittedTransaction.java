package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import java.util.List;

/** The part of a committed transaction on one partition. Immutable after the commit. */
public interface CommittedTransaction {
  /** Visits the objects that a transaction has written. */
  @FunctionalInterface
  interface Visitor {
    /**
     * Visits an object as a type that it was written as.
     *
     * @param effects the encoded effects on it, in order; must not be modified
     */
    void written(Bytes id, CrdtType<?, ?, ?, ?> type, List<byte[]> effects);
  }

  /** The commit vector. */
  VectorClock commitVector();

  /** The size of the record, in bytes. */
  int length();

  /** Visits the written objects, once for each type that an object was written as. */
  void forEachWritten(Visitor visitor);
}
