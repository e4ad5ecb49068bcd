package io.github.stablecut.checkpoint;

import io.github.stablecut.crdt.Bytes;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A range of ids from one id (inclusive) to another (exclusive). Immutable. */
public final class IdRange {
  private static final IdRange ALL = new IdRange(Bytes.EMPTY, null);

  private final Bytes from;
  private final @Nullable Bytes until;

  private IdRange(Bytes from, @Nullable Bytes until) {
    this.from = from;
    this.until = until;
  }

  /** Every id. */
  public static IdRange all() {
    return ALL;
  }

  /** The ids at or above one. */
  public static IdRange from(Bytes from) {
    return new IdRange(from, null);
  }

  /** The ids at or above one and below another. */
  public static IdRange between(Bytes from, Bytes until) {
    return new IdRange(from, until);
  }

  /** The ids that begin with some bytes. */
  public static IdRange prefix(Bytes prefix) {
    byte[] end = prefix.toArray();
    int length = end.length;
    while (length > 0 && end[length - 1] == (byte) 0xff) {
      length--;
    }
    if (length == 0) {
      return from(prefix);
    }
    end[length - 1]++;
    return new IdRange(prefix, Bytes.wrap(Arrays.copyOf(end, length)));
  }

  /** The lower bound of the range, inclusive. */
  public Bytes from() {
    return from;
  }

  /** The upper bound of the range, exclusive; empty if it is unbounded. */
  public Optional<Bytes> until() {
    return Optional.ofNullable(until);
  }

  /** The part of the range at or above an id. */
  public IdRange atOrAbove(Bytes id) {
    return id.compareTo(from) > 0 ? new IdRange(id, until) : this;
  }

  /** The part of the range below an id. */
  public IdRange below(Bytes id) {
    return until == null || id.compareTo(until) < 0 ? new IdRange(from, id) : this;
  }

  /** The smallest range that contains this one and another. */
  public IdRange hull(IdRange other) {
    Bytes low = from.compareTo(other.from) <= 0 ? from : other.from;
    if (until == null || other.until == null) {
      return new IdRange(low, null);
    }
    return new IdRange(low, until.compareTo(other.until) >= 0 ? until : other.until);
  }

  /** Whether no id can be in the range. */
  public boolean isEmpty() {
    return until != null && until.compareTo(from) <= 0;
  }

  /** Whether an id is in the range. */
  public boolean contains(Bytes id) {
    return id.compareTo(from) >= 0 && (until == null || id.compareTo(until) < 0);
  }

  @Override
  public String toString() {
    return "from " + from + (until == null ? "" : " until " + until);
  }
}
