package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.util.Comparator;

/**
 * An executed operation, the element of specifications. Events are ordered by arbitration (commit
 * time, data centre, place), which extends visibility ({@link #sees}).
 *
 * @param dataCentre where it was executed
 * @param time the commit time of its transaction; {@link Long#MAX_VALUE} while that is open
 * @param place its place in the transaction
 * @param room the number of places that it takes, so that its parts have places too
 * @param snapshot the snapshot of its transaction
 */
public record Event<O>(
    O operation, int dataCentre, long time, long place, long room, VectorClock snapshot)
    implements Comparable<Event<?>> {
  private static final int PART_BITS = 20;
  private static final long ROOM = 1L << (2 * PART_BITS);

  private static final Comparator<Event<?>> ARBITRATION =
      Comparator.<Event<?>>comparingLong(Event::time)
          .thenComparingInt(Event::dataCentre)
          .thenComparingLong(Event::place);

  /** The {@code index}-th operation of a transaction. */
  public Event(O operation, int dataCentre, long time, int index, VectorClock snapshot) {
    this(operation, dataCentre, time, index * ROOM, ROOM, snapshot);
  }

  /** Whether the other event is in this one's past. */
  boolean sees(Event<?> other) {
    boolean sameTransaction = dataCentre == other.dataCentre && time == other.time;
    return sameTransaction ? other.place < place : other.isVisibleAt(snapshot);
  }

  /** Whether the other event is this one or a part of it. */
  boolean isOrHolds(Event<?> other) {
    return dataCentre == other.dataCentre
        && time == other.time
        && place <= other.place
        && other.place < place + room;
  }

  /** Whether a snapshot contains this event. */
  boolean isVisibleAt(VectorClock vector) {
    return snapshot.with(dataCentre, time).isAtOrBefore(vector);
  }

  /** The {@code index}-th part of this operation. */
  <P> Event<P> part(P part, int index) {
    long partRoom = room >> PART_BITS;
    return new Event<>(part, dataCentre, time, place + index * partRoom, partRoom, snapshot);
  }

  /** The same event, viewed as an operation on something else. */
  <P> Event<P> as(P other) {
    return new Event<>(other, dataCentre, time, place, room, snapshot);
  }

  @Override
  public int compareTo(Event<?> other) {
    return ARBITRATION.compare(this, other);
  }
}
