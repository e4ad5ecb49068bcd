package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;

/** What counterparts of a partition in different data centres tell each other. Immutable. */
public sealed interface ReplicationMessage {
  /** The data centre that has sent it. */
  int from();

  /** The partition that it is about. */
  int partition();

  /**
   * Up to what times the sender has everything of each data centre: whom to ask for a stream while
   * its source is silent.
   */
  VectorClock reached();

  /**
   * Asks for a stream, and tells what has arrived.
   *
   * @param source whose stream
   * @param start what the sender has of it
   * @param credit how many bytes after that may be on their way
   * @param isAgain whether something was lost, so that all after {@code start} is sent again
   * @param recorded as {@link #reached}, as far as a restart of the sender does not forget it
   */
  record Want(
      int from,
      int partition,
      VectorClock reached,
      int source,
      StreamReader.Start start,
      long credit,
      boolean isAgain,
      VectorClock recorded)
      implements ReplicationMessage {}

  /** A part of a stream; without transactions it tells that there are none up to a time. */
  record Part(int from, int partition, VectorClock reached, StreamBatch batch)
      implements ReplicationMessage {}

  /**
   * Says that a stream can't be read from where it was wanted, because that is truncated.
   *
   * @param source whose stream
   */
  record Truncated(int from, int partition, VectorClock reached, int source)
      implements ReplicationMessage {}
}
