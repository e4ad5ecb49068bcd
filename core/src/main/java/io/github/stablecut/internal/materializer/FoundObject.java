package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.index.Version;
import java.util.Optional;

/**
 * An object that a scan has come to. Immutable.
 *
 * @param version what the snapshot sees of it; empty if only the key was asked for, and the object
 *     is known not to be as at first
 */
public record FoundObject(Bytes id, CrdtType<?, ?, ?, ?> type, Optional<Version> version) {
  /** With its version. */
  public static FoundObject of(Bytes id, Version version) {
    return new FoundObject(id, version.type(), Optional.of(version));
  }

  /** What a reader sees; empty if that is what he sees of an object that nothing was done to. */
  public Optional<Object> value(VectorClock snapshot) {
    return version.flatMap(known -> value(known.type(), known.state(), snapshot));
  }

  @SuppressWarnings("unchecked") // a version's state is of its type
  private static <S> Optional<Object> value(
      CrdtType<S, ?, ?, ?> type, Object state, VectorClock snapshot) {
    Object value = type.value((S) state, snapshot);
    return value.equals(type.value(type.initial(), snapshot))
        ? Optional.empty()
        : Optional.of(value);
  }
}
