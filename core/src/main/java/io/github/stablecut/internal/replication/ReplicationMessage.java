package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;

/** What data centres tell each other. Immutable. */
public sealed interface ReplicationMessage {
  /** The data centre that has sent it. */
  int from();

  /** Tells of the group: which data centres there are. */
  record Members(int from, Membership membership) implements ReplicationMessage {}

  /**
   * Asks for rights of a bounded counter.
   *
   * @param counter the object's id
   * @param amount how many are missing, above 0
   * @param seen where they are missing: who has given some later need not give them again
   */
  record RightsWanted(int from, Bytes counter, long amount, VectorClock seen)
      implements ReplicationMessage {}

  /**
   * What every message about streams begins with.
   *
   * @param from the data centre that has sent it
   * @param members the sum of what the sender knows of the group ({@link Membership#sum});
   *     something else while what has come from detached data centres is not durable yet
   * @param partition the partition that it is about
   * @param reached up to what times the sender has everything of each data centre: whom to ask for
   *     a stream while its source is silent
   */
  record Head(int from, int members, int partition, VectorClock reached) {}

  /** What counterparts of a partition in different data centres tell each other. */
  sealed interface OfStream extends ReplicationMessage {
    Head head();

    /** The data centre whose stream it is about. */
    int source();

    @Override
    default int from() {
      return head().from;
    }
  }

  /**
   * Asks for a stream, and tells what has arrived.
   *
   * @param source whose stream
   * @param start what the sender has of it
   * @param credit how many bytes after that may be on their way
   * @param isAgain whether something was lost, so that all after {@code start} is sent again
   * @param recorded as {@link Head#reached}, as far as a restart of the sender does not forget it
   * @param opening of the source that has committed the last transaction before {@code start}; 0 if
   *     not known. If it is none of the source's, that was put back to an older state
   */
  record Want(
      Head head,
      int source,
      StreamReader.Start start,
      long credit,
      boolean isAgain,
      VectorClock recorded,
      long opening)
      implements OfStream {}

  /**
   * A part of a stream; without transactions it tells that there are none up to a time.
   *
   * @param opening of the source that has committed the last transaction; 0 if there is none, or it
   *     is passed on
   */
  record Part(Head head, StreamBatch batch, long opening) implements OfStream {
    @Override
    public int source() {
      return batch.source();
    }
  }

  /**
   * Says that a stream can't be read from where it was wanted, because that is truncated.
   *
   * @param source whose stream
   * @param after the commit time after which it was wanted; who has more by now asked before that,
   *     and this is an answer to a request that came late
   */
  record Truncated(Head head, int source, long after) implements OfStream {}

  /**
   * Says that a stream can't be read, because there are other transactions of it here than at the
   * one who has asked.
   *
   * @param source whose stream
   * @param after a commit time up to which both have the same
   */
  record Forked(Head head, int source, long after) implements OfStream {}
}
