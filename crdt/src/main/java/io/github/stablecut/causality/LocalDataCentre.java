package io.github.stablecut.causality;

/**
 * The data centre of this process, and so its entry in vectors. Only this class converts between
 * times and vectors: a time of this data centre belongs in its own entry and implies nothing about
 * other data centres. All other code works with whole vectors. Immutable.
 *
 * @param number the data centre's number: its index in vectors, and the data centre of its dots
 */
public record LocalDataCentre(int number) {
  /** The default data centre of a store. */
  public static final LocalDataCentre FIRST = new LocalDataCentre(0);

  /** Checks the range. */
  public LocalDataCentre {
    if (number < 0 || number >= VectorClock.MAX_DATA_CENTRES) {
      throw new IllegalArgumentException(
          "a data centre's number must be 0 to %d, not %d"
              .formatted(VectorClock.MAX_DATA_CENTRES - 1, number));
    }
  }

  /** The entry of this data centre in a vector. */
  public long timeIn(VectorClock vector) {
    return vector.get(number);
  }

  /** The vector with this time for this data centre and 0 for all others. */
  public VectorClock at(long time) {
    return VectorClock.ZERO.with(number, time);
  }

  /** A vector with the entry of this data centre replaced. */
  public VectorClock with(VectorClock vector, long time) {
    return vector.with(number, time);
  }

  /** A vector with the entry of this data centre raised to a time, if it is below. */
  public VectorClock raise(VectorClock vector, long time) {
    return vector.get(number) >= time ? vector : vector.with(number, time);
  }

  /** A vector with the entry of this data centre lowered to a time, if it is above. */
  public VectorClock lower(VectorClock vector, long time) {
    return vector.get(number) <= time ? vector : vector.with(number, time);
  }

  /** Whether a vector's entries of other data centres are at or below those of another vector. */
  public boolean othersAreAtOrBefore(VectorClock vector, VectorClock other) {
    for (int dataCentre = 0; dataCentre < vector.size(); dataCentre++) {
      if (dataCentre != number && vector.get(dataCentre) > other.get(dataCentre)) {
        return false;
      }
    }
    return true;
  }

  /** A vector with the entries of other data centres lowered to those of a limit. */
  public VectorClock lowerOthers(VectorClock vector, VectorClock limit) {
    return othersAreAtOrBefore(vector, limit) ? vector : with(vector.meet(limit), timeIn(vector));
  }

  /**
   * The lower bound of a transaction's commit time, exclusive: the greatest entry of its snapshot.
   * So commit times order causes before effects in all data centres (docs/protocol.md, section
   * 1.2).
   */
  public static long floorOf(VectorClock snapshot) {
    return snapshot.max();
  }

  /**
   * The commit time in a commit vector of any data centre: its greatest entry. For a join of commit
   * vectors, that of the last commit.
   */
  public static long commitTimeOf(VectorClock commits) {
    return commits.max();
  }
}
