package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;

/** A message between data centres. Immutable. */
public sealed interface ReplicationMessage {
  /** The data centre that sent the message. */
  int from();

  /** Distributes the group's membership. */
  record Members(int from, Membership membership) implements ReplicationMessage {}

  /**
   * Requests rights of a bounded counter.
   *
   * @param counter the object's id
   * @param amount the number of missing rights, above 0
   * @param seen the snapshot at which they are missing: a data centre that transferred rights after
   *     it need not transfer them again
   */
  record RightsRequest(int from, Bytes counter, long amount, VectorClock seen)
      implements ReplicationMessage {}

  /**
   * The common header of all messages about streams.
   *
   * @param from the data centre that sent the message
   * @param members the checksum of the sender's membership ({@link Membership#sum}); a different
   *     value while transactions received from detached data centres are not durable yet
   * @param partition the partition that the message concerns
   * @param reached the times up to which the sender has everything of each data centre; used to
   *     choose a provider while a source is silent
   */
  record Head(int from, int members, int partition, VectorClock reached) {}

  /** A message between peers of a partition about a stream. */
  sealed interface OfStream extends ReplicationMessage {
    Head head();

    /** The data centre whose stream the message concerns. */
    int source();

    @Override
    default int from() {
      return head().from;
    }
  }

  /**
   * Requests a stream and acknowledges what was received.
   *
   * @param source the data centre whose stream is requested
   * @param start the sender's position in the stream
   * @param credit the number of bytes after that position that may be in flight
   * @param isAgain whether parts were lost, so that everything after {@code start} is resent
   * @param recorded as {@link Head#reached}, as far as it survives a restart of the sender
   * @param opening the source's opening that committed the last transaction before {@code start}; 0
   *     if unknown. If it is not an opening of the source, the source was restored to an older
   *     state
   */
  record StreamRequest(
      Head head,
      int source,
      StreamReader.Start start,
      long credit,
      boolean isAgain,
      VectorClock recorded,
      long opening)
      implements OfStream {}

  /**
   * A part of a stream; without transactions it reports that there are none up to a time.
   *
   * @param opening the source's opening that committed the last transaction; 0 if there is none or
   *     the stream is forwarded
   */
  record StreamPart(Head head, StreamBatch batch, long opening) implements OfStream {
    @Override
    public int source() {
      return batch.source();
    }
  }

  /**
   * Reports that a stream can't be read from the requested position because it was truncated.
   *
   * @param source the data centre whose stream was requested
   * @param after the commit time after which it was requested; a receiver that has more by now
   *     ignores this answer to an older request
   */
  record Truncated(Head head, int source, long after) implements OfStream {}

  /**
   * Reports that a stream can't be read because the sender and the requester have different
   * transactions of it.
   *
   * @param source the data centre whose stream was requested
   * @param after a commit time up to which both have the same transactions
   */
  record Forked(Head head, int source, long after) implements OfStream {}
}
