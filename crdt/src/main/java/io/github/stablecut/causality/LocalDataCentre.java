package io.github.stablecut.causality;

/**
 * The data centre that this process belongs to, and so its entry in vectors. This is the only place
 * where a bare time becomes a vector, or a vector a bare time: a time of this data centre belongs
 * into its own entry, and nothing is known of other data centres from it. Everything else works
 * with whole vectors. Immutable.
 *
 * @param number the data centre's replica id: its place in vectors, and what its dots begin with
 */
public record LocalDataCentre(int number) {
  /** That of a store which is told of no other. */
  public static final LocalDataCentre FIRST = new LocalDataCentre(0);

  /** Checks the range. */
  public LocalDataCentre {
    if (number < 0 || number >= VectorClock.MAX_DATA_CENTRES) {
      throw new IllegalArgumentException(
          "a data centre's number is 0 to %d, not %d"
              .formatted(VectorClock.MAX_DATA_CENTRES - 1, number));
    }
  }

  /** The entry of this data centre in a vector. */
  public long timeIn(VectorClock vector) {
    return vector.get(number);
  }

  /** The vector with this time of this data centre, and nothing of others. */
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

  /** Whether what a vector has seen of other data centres, another one has seen too. */
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
   * What the commit time of a transaction has to be above, so that commit times order causes before
   * effects in all data centres: the greatest entry of its snapshot (docs/protocol.md, section
   * 1.2).
   */
  public static long floorOf(VectorClock snapshot) {
    return snapshot.max();
  }

  /**
   * The commit time in a commit vector, whichever data centre it is of: its greatest entry. Of a
   * join of commit vectors that of the last commit.
   */
  public static long commitTimeOf(VectorClock commits) {
    return commits.max();
  }
}
