package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import java.util.function.BiConsumer;

/** A committed transaction as its partition has it. Immutable once it is committed. */
public interface Committed {
  /** Its commit vector. */
  VectorClock commitVector();

  /** The bytes of its record. */
  int length();

  /** Shows the objects that it has written, each once as each type that it was written as. */
  void forEachWritten(BiConsumer<Bytes, CrdtType<?, ?, ?, ?>> visitor);
}
