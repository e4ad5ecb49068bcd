package io.github.stablecut.tools;

import io.github.stablecut.causality.VectorClock;
import java.util.List;
import java.util.Optional;

/**
 * A record of a journal. Immutable.
 *
 * @param partition the partition of the journal
 * @param segment the number of the segment that contains it
 * @param offset its offset in the segment, in bytes
 * @param sequence the sequence number of its first frame
 * @param content its content
 */
public record JournalEntry(
    int partition, int segment, long offset, long sequence, Content content) {
  /** The content of a record. */
  public sealed interface Content {}

  /**
   * A transaction was committed, here or in another data centre.
   *
   * @param dataCentre the number of the data centre that committed it
   * @param time the commit time
   * @param snapshot the snapshot that it read
   * @param id its id, if it wrote several partitions
   * @param participants in the deciding record of such a transaction, its other partitions
   * @param effects its effects on the selected objects
   */
  public record Transaction(
      int dataCentre,
      long time,
      VectorClock snapshot,
      Optional<String> id,
      List<Integer> participants,
      List<Effect> effects)
      implements Content {
    /** Copies the lists. */
    public Transaction {
      participants = List.copyOf(participants);
      effects = List.copyOf(effects);
    }
  }

  /**
   * A transaction that another partition decides was prepared. If it was committed, a later {@link
   * Transaction} has its id, and the effects again.
   *
   * @param id its id: the deciding partition, the epoch of that partition, and a number
   * @param time the prepare time; the commit time is later
   * @param snapshot the snapshot that it read
   * @param effects its effects on the selected objects
   */
  public record Prepared(String id, long time, VectorClock snapshot, List<Effect> effects)
      implements Content {
    /** Copies the list. */
    public Prepared {
      effects = List.copyOf(effects);
    }
  }

  /**
   * A transaction of several partitions ended. At the partition that decided it, this means that
   * all others have it; at one that prepared it, that it was aborted.
   *
   * @param id its id
   */
  public record End(String id) implements Content {}

  /**
   * The last requests of sessions, written again before the segments with the originals were
   * truncated.
   *
   * @param requests one per session
   */
  public record Sessions(List<Request> requests) implements Content {
    /** Copies the list. */
    public Sessions {
      requests = List.copyOf(requests);
    }
  }

  /**
   * A session's last request.
   *
   * @param session the session's id, in the format of {@link io.github.stablecut.SessionId},
   *     without a server's signature
   * @param number the request's number in its session
   * @param time its commit time
   */
  public record Request(String session, long number, long time) {}

  /**
   * A new clock ceiling: issued timestamps stay below it.
   *
   * @param time the ceiling
   */
  public record ClockCeiling(long time) implements Content {}

  /**
   * The progress of the transactions of other data centres, and the promise to these data centres.
   *
   * @param reached the vector up to which all their transactions have arrived
   * @param promised the snapshot of every later transaction of this data centre is at or above it;
   *     zero without a promise
   */
  public record Reached(VectorClock reached, VectorClock promised) implements Content {}

  /**
   * The leader of a partition with replicas announced a checkpoint.
   *
   * @param at the vector of the checkpoint
   */
  public record CheckpointAnnouncement(VectorClock at) implements Content {}

  /**
   * A record that is not decoded.
   *
   * @param kind the number of its kind
   * @param bytes its size
   */
  public record Other(int kind, int bytes) implements Content {}

  /**
   * An effect of a transaction on an object.
   *
   * @param type the type's name
   * @param bytes the size of the effect
   * @param effect the effect as text
   */
  public record Effect(ObjectName object, String type, int bytes, String effect) {}
}
