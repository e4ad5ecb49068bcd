package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.util.Comparator;

/**
 * One operation that was executed: what specifications are written over. Events are ordered by
 * arbitration (commit time, data centre, place), which extends visibility ({@link #sees}).
 *
 * @param dataCentre where it was executed
 * @param time the commit time of its transaction; {@link Long#MAX_VALUE} while that is open
 * @param place 0 for the first operation of the transaction
 * @param snapshot what its transaction read at
 */
record Event<O>(O operation, int dataCentre, long time, int place, VectorClock snapshot)
    implements Comparable<Event<?>> {
  private static final Comparator<Event<?>> ARBITRATION =
      Comparator.<Event<?>>comparingLong(Event::time)
          .thenComparingInt(Event::dataCentre)
          .thenComparingInt(Event::place);

  /** Whether the other event is in this one's past. */
  boolean sees(Event<?> other) {
    boolean sameTransaction = dataCentre == other.dataCentre && time == other.time;
    return sameTransaction ? other.place < place : other.isVisibleAt(snapshot);
  }

  /** Whether a snapshot contains this event. */
  boolean isVisibleAt(VectorClock vector) {
    return snapshot.with(dataCentre, time).isAtOrBefore(vector);
  }

  /** The same event for another operation, such as the one on a nested object. */
  <P> Event<P> withOperation(P other, int otherPlace) {
    return new Event<>(other, dataCentre, time, otherPlace, snapshot);
  }

  @Override
  public int compareTo(Event<?> other) {
    return ARBITRATION.compare(this, other);
  }
}
