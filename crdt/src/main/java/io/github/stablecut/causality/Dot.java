package io.github.stablecut.causality;

/**
 * The id of an event: the {@code index}-th of the transaction that committed at {@code time} in a
 * data centre. Dots are unique, and their order (time, then data centre, then index) extends
 * causality. Immutable.
 *
 * <p>While a transaction is open its commit time is unknown: its events have <em>self dots</em>,
 * which sort after every committed dot. Applying the effect replaces them with committed dots
 * ({@link #resolve}).
 *
 * @param dataCentre the number of the data centre, or {@link #SELF}
 * @param time the commit time ({@link Timestamp})
 * @param index 0 for the transaction's first event
 */
public record Dot(int dataCentre, long time, int index) implements Comparable<Dot> {
  /** The data centre of a self dot. */
  public static final int SELF = -1;

  /** The first event of any open transaction, and the only one of most. */
  private static final Dot FIRST_SELF = newSelf(0);

  /** Checks the ranges. */
  public Dot {
    if (dataCentre < SELF || time < 0 || index < 0) {
      throw new IllegalArgumentException("not a dot: " + dataCentre + ", " + time + ", " + index);
    }
    if (dataCentre == SELF && time != Long.MAX_VALUE) {
      throw new IllegalArgumentException("a self dot has no commit time, not " + time);
    }
  }

  /** The {@code index}-th event of the open transaction. */
  public static Dot self(int index) {
    return index == 0 ? FIRST_SELF : newSelf(index);
  }

  private static Dot newSelf(int index) {
    return new Dot(SELF, Long.MAX_VALUE, index);
  }

  /** Whether this is an event of a transaction that is still open. */
  public boolean isSelf() {
    return dataCentre == SELF;
  }

  /**
   * This dot; or for a self dot, its committed dot once its transaction commits in the given data
   * centre at the given time.
   */
  public Dot resolve(int originDataCentre, long commitTime) {
    return isSelf() ? new Dot(originDataCentre, commitTime, index) : this;
  }

  /** The dot {@code steps} events later in the same transaction. */
  public Dot plus(int steps) {
    return new Dot(dataCentre, time, index + steps);
  }

  /** Whether a snapshot at this vector contains this event. False for self dots. */
  public boolean isAtOrBefore(VectorClock vector) {
    return !isSelf() && time <= vector.get(dataCentre);
  }

  /** Data centre, commit time and index, such as {@code 0:2026-11-21T08:00:00.000Z+0:3}. */
  @Override
  public String toString() {
    return isSelf() ? "self:" + index : dataCentre + ":" + Timestamp.format(time) + ":" + index;
  }

  @Override
  public int compareTo(Dot other) {
    int byTime = Long.compare(time, other.time);
    if (byTime != 0) {
      return byTime;
    }
    int byDataCentre = Integer.compare(dataCentre, other.dataCentre);
    return byDataCentre != 0 ? byDataCentre : Integer.compare(index, other.index);
  }
}
