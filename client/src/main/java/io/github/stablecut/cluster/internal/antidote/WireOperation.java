package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.crdt.Bytes;
import java.util.List;

/** An operation in a message ({@code ApbUpdateOperation}). Immutable. */
public sealed interface WireOperation {
  /**
   * Adds to a counter ({@code ApbCounterUpdate}).
   *
   * @param amount any number; 1 if the message has none
   */
  record Count(long amount) implements WireOperation {}

  /**
   * Adds elements to a set, or removes them ({@code ApbSetUpdate}).
   *
   * @param add whether they are added
   */
  record Elements(boolean add, List<Bytes> elements) implements WireOperation {
    /** Copies the list. */
    public Elements {
      elements = List.copyOf(elements);
    }
  }

  /** Assigns a value to a register ({@code ApbRegUpdate}). */
  record Assign(Bytes value) implements WireOperation {}

  /** Sets or clears a flag ({@code ApbFlagUpdate}). */
  record Flag(boolean value) implements WireOperation {}

  /**
   * Updates objects in a map and removes others ({@code ApbMapUpdate}).
   *
   * @param updates the operations on entries
   * @param removed the removed entries
   */
  record Entries(List<Nested> updates, List<WireMapKey> removed) implements WireOperation {
    /** Copies the lists. */
    public Entries {
      updates = List.copyOf(updates);
      removed = List.copyOf(removed);
    }
  }

  /** An operation on an object in a map ({@code ApbMapNestedUpdate}). */
  record Nested(WireMapKey place, WireOperation operation) {}

  /** Removes the effects that the transaction sees ({@code ApbCrdtReset}). */
  record Reset() implements WireOperation {}
}
