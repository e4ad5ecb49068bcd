package io.github.stablecut.checkpoint;

import io.github.stablecut.crdt.Bytes;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Ids from one on, up to but without another. Immutable. */
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

  /** The least id that is in the range. */
  public Bytes from() {
    return from;
  }

  /** The least id that is above the range; empty if there is none. */
  public Optional<Bytes> until() {
    return Optional.ofNullable(until);
  }

  /** Those of the range that are at or above an id. */
  public IdRange atOrAbove(Bytes id) {
    return id.compareTo(from) > 0 ? new IdRange(id, until) : this;
  }

  /** Those of the range that are below an id. */
  public IdRange below(Bytes id) {
    return until == null || id.compareTo(until) < 0 ? new IdRange(from, id) : this;
  }

  /** The least range that has all ids of this one and another, and those in between. */
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
