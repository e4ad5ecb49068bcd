package io.github.stablecut.tools;

import io.github.stablecut.causality.VectorClock;
import java.util.List;

/**
 * A record of a journal, decoded. Immutable.
 *
 * @param segment the segment that it is in
 * @param offset where in that
 * @param sequence the sequence of its first frame
 * @param kind what it is
 * @param time the commit time, or the clock's ceiling
 * @param snapshot what the transaction had read at; the zero vector of a ceiling
 * @param effects those on the objects that were asked for; none of a ceiling
 */
public record JournalEntry(
    int segment,
    long offset,
    long sequence,
    Kind kind,
    long time,
    VectorClock snapshot,
    List<Effect> effects) {
  /** Copies. */
  public JournalEntry {
    effects = List.copyOf(effects);
  }

  /** What a record is. */
  public enum Kind {
    /** A committed transaction. */
    TRANSACTION,
    /** A time that the clock stays below. */
    CLOCK
  }

  /**
   * What a transaction does to an object.
   *
   * @param type the type's name
   * @param bytes the size of the effect
   * @param effect the effect for people
   */
  public record Effect(ObjectName object, String type, int bytes, String effect) {}
}
