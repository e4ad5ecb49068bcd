package io.github.stablecut.tools;

import io.github.stablecut.causality.VectorClock;
import java.util.List;

/**
 * A record of a journal. Immutable.
 *
 * @param partition the partition whose journal it is
 * @param segment the segment that it is in
 * @param offset where in that, in bytes
 * @param sequence the sequence of its first frame
 * @param content what it says
 */
public record JournalEntry(
    int partition, int segment, long offset, long sequence, Content content) {
  /** What a record says. */
  public sealed interface Content {}

  /**
   * A transaction was committed.
   *
   * @param time the commit time
   * @param snapshot what it had read at
   * @param effects those on the objects that were asked for
   */
  public record Transaction(long time, VectorClock snapshot, List<Effect> effects)
      implements Content {
    /** Copies. */
    public Transaction {
      effects = List.copyOf(effects);
    }
  }

  /**
   * The clock stays below a time.
   *
   * @param time the ceiling
   */
  public record ClockCeiling(long time) implements Content {}

  /**
   * Something else, which is not decoded.
   *
   * @param kind the number of what it is
   * @param bytes its size
   */
  public record Other(int kind, int bytes) implements Content {}

  /**
   * What a transaction does to an object.
   *
   * @param type the type's name
   * @param bytes the size of the effect
   * @param effect the effect for people
   */
  public record Effect(ObjectName object, String type, int bytes, String effect) {}
}
