package io.github.stablecut.causality;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.Arrays;

/**
 * One timestamp per data centre. Its roles are the <em>snapshot vector</em> (at which a transaction
 * reads), the <em>commit vector</em> (the snapshot with the origin's entry replaced by the commit
 * time) and the <em>stable vector</em>. A missing entry counts as 0. Immutable.
 *
 * <p>A store with one data centre, the common case, pays for one {@code long}: data centre 0 has a
 * field of its own, and the others share an array that is empty until needed.
 */
public final class VectorClock {
  /** The vector below all others. */
  public static final VectorClock ZERO = new VectorClock(0, new long[0]);

  /** The largest number of data centres. */
  public static final int MAX_DATA_CENTRES = 1 << 10;

  private static final long[] NONE = new long[0];

  private final long first;

  /**
   * The entries of data centres 1, 2, …; never ends in 0, so that equal vectors have equal fields.
   */
  private final long[] others;

  private VectorClock(long first, long[] others) {
    this.first = first;
    this.others = others;
  }

  /**
   * The vector with this entry for data centre 0 and no other. A time of this process belongs to
   * its own data centre: {@link LocalDataCentre#at}.
   */
  public static VectorClock of(long first) {
    return first == 0 ? ZERO : new VectorClock(check(first), NONE);
  }

  /** The vector with the given entries for data centres 0, 1, … */
  public static VectorClock ofEntries(long... entries) {
    if (entries.length > MAX_DATA_CENTRES) {
      throw new IllegalArgumentException(
          entries.length + " data centres, but there can be at most " + MAX_DATA_CENTRES);
    }
    for (long entry : entries) {
      check(entry);
    }
    int length = entries.length;
    while (length > 0 && entries[length - 1] == 0) {
      length--;
    }
    return length <= 1
        ? of(length == 0 ? 0 : entries[0])
        : new VectorClock(entries[0], Arrays.copyOfRange(entries, 1, length));
  }

  @CanIgnoreReturnValue
  private static long check(long entry) {
    if (entry < 0) {
      throw new IllegalArgumentException("a timestamp must not be negative: " + entry);
    }
    return entry;
  }

  /** The timestamp of a data centre; 0 if it has none. */
  public long get(int dataCentre) {
    if (dataCentre == 0) {
      return first;
    }
    return dataCentre <= others.length ? others[dataCentre - 1] : 0;
  }

  /** One more than the greatest data centre with an entry above 0; 0 for {@link #ZERO}. */
  public int size() {
    return others.length > 0 ? others.length + 1 : first == 0 ? 0 : 1;
  }

  /** This vector with one entry replaced. */
  public VectorClock with(int dataCentre, long timestamp) {
    if (timestamp == get(dataCentre)) {
      return this;
    }
    if (dataCentre == 0) {
      return others.length == 0 ? of(timestamp) : new VectorClock(check(timestamp), others);
    }
    if (timestamp > 0 && dataCentre < MAX_DATA_CENTRES) {
      long[] changed = Arrays.copyOf(others, Math.max(others.length, dataCentre));
      changed[dataCentre - 1] = timestamp;
      return new VectorClock(first, changed);
    }
    long[] entries = toArray(Math.max(size(), dataCentre + 1));
    entries[dataCentre] = timestamp;
    return ofEntries(entries);
  }

  /**
   * Whether every entry is at most the other's: the other vector includes every event that this one
   * does.
   */
  public boolean isAtOrBefore(VectorClock other) {
    if (first > other.first || others.length > other.others.length) {
      return false;
    }
    for (int i = 0; i < others.length; i++) {
      if (others[i] > other.others[i]) {
        return false;
      }
    }
    return true;
  }

  /** The least vector at or above both: the greater of each entry. */
  public VectorClock join(VectorClock other) {
    if (isAtOrBefore(other)) {
      return other;
    }
    if (other.isAtOrBefore(this)) {
      return this;
    }
    long[] entries = toArray(Math.max(size(), other.size()));
    for (int i = 0; i < entries.length; i++) {
      entries[i] = Math.max(entries[i], other.get(i));
    }
    return ofEntries(entries);
  }

  /** The greatest vector at or below both: the smaller of each entry. */
  public VectorClock meet(VectorClock other) {
    if (isAtOrBefore(other)) {
      return this;
    }
    if (other.isAtOrBefore(this)) {
      return other;
    }
    long[] entries = toArray(Math.min(size(), other.size()));
    for (int i = 0; i < entries.length; i++) {
      entries[i] = Math.min(entries[i], other.get(i));
    }
    return ofEntries(entries);
  }

  /** Whether every entry is below a time, so that the vector includes no event at or after it. */
  public boolean isBefore(long time) {
    return max() < time;
  }

  /**
   * The greatest entry; 0 for {@link #ZERO}. It can be a time of any data centre; {@link
   * LocalDataCentre} has the methods that interpret it.
   */
  public long max() {
    long max = first;
    for (long entry : others) {
      max = Math.max(max, entry);
    }
    return max;
  }

  private long[] toArray(int length) {
    long[] entries = new long[length];
    for (int i = 0; i < length; i++) {
      entries[i] = get(i);
    }
    return entries;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof VectorClock that
        && first == that.first
        && Arrays.equals(others, that.others);
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(first) + Arrays.hashCode(others);
  }

  @Override
  public String toString() {
    return Arrays.toString(toArray(size()));
  }
}
