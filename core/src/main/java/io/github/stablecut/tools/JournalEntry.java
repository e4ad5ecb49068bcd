package io.github.stablecut.tools;

import io.github.stablecut.causality.VectorClock;
import java.util.List;
import java.util.Optional;

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
   * A transaction was committed, here or in another data centre.
   *
   * @param dataCentre the number of the data centre that has committed it
   * @param time the commit time
   * @param snapshot what it had read at
   * @param id its id, if several partitions took part
   * @param participants in the record that decides such a transaction, the others that took part
   * @param effects those on the objects that were asked for
   */
  public record Transaction(
      int dataCentre,
      long time,
      VectorClock snapshot,
      Optional<String> id,
      List<Integer> participants,
      List<Effect> effects)
      implements Content {
    /** Copies. */
    public Transaction {
      participants = List.copyOf(participants);
      effects = List.copyOf(effects);
    }
  }

  /**
   * A transaction was prepared, which another partition decides; if it was committed, a later
   * {@link Transaction} has its id, and the effects again.
   *
   * @param id its id: the partition that decides, how often that was opened, a number
   * @param time the prepare time; the commit time is later
   * @param snapshot what it had read at
   * @param effects those on the objects that were asked for
   */
  public record Prepared(String id, long time, VectorClock snapshot, List<Effect> effects)
      implements Content {
    /** Copies. */
    public Prepared {
      effects = List.copyOf(effects);
    }
  }

  /**
   * A transaction of several partitions is over: where it was decided, all others have it; where it
   * was prepared, it was aborted.
   *
   * @param id its id
   */
  public record End(String id) implements Content {}

  /**
   * What sessions did last, written again before its segments were dropped.
   *
   * @param requests one per session
   */
  public record Sessions(List<Request> requests) implements Content {
    /** Copies. */
    public Sessions {
      requests = List.copyOf(requests);
    }
  }

  /**
   * A session's last request.
   *
   * @param session the session's id, as {@link io.github.stablecut.SessionId} writes it, without a
   *     server's signature
   * @param number the request's number in its session
   * @param time its commit time
   */
  public record Request(String session, long number, long time) {}

  /**
   * The clock stays below a time.
   *
   * @param time the ceiling
   */
  public record ClockCeiling(long time) implements Content {}

  /**
   * How far the transactions of other data centres have come, and what these were promised.
   *
   * @param reached up to what times all of them are here
   * @param promised every later transaction of this data centre has a snapshot at or above it; zero
   *     if nothing was promised
   */
  public record Reached(VectorClock reached, VectorClock promised) implements Content {}

  /**
   * The leader of a partition with copies has told of a checkpoint.
   *
   * @param at the vector of the checkpoint
   */
  public record CheckpointTold(VectorClock at) implements Content {}

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
