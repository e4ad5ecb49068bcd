package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.SeveralTypes;
import io.github.stablecut.crdt.UnreadableValue;
import io.github.stablecut.internal.index.Version;
import java.util.List;
import java.util.Optional;

/**
 * An object that a scan has come to: of {@link SeveralTypes} if it has several. Immutable.
 *
 * @param version what the snapshot sees of it; empty if only the key was asked for, the object has
 *     one type, and is known not to be as at first
 */
public record FoundObject(Bytes id, CrdtType<?, ?, ?, ?> type, Optional<Version> version) {
  /** With its version. */
  public static FoundObject of(Bytes id, Version version) {
    return new FoundObject(id, version.type(), Optional.of(version));
  }

  /** About how many bytes what the snapshot sees of it has. */
  public long bytes() {
    return version.map(Version::bytes).orElse(0);
  }

  /** The object as each of its types, by their numbers; usually itself. */
  public List<FoundObject> byType() {
    if (type != SeveralTypes.TYPE) {
      return List.of(this);
    }
    Version several = version.orElseThrow();
    return several.states().stream()
        .map(
            state ->
                of(
                    id,
                    new Version(
                        state.type(),
                        several.since(),
                        several.at(),
                        state.state(),
                        several.takes())))
        .toList();
  }

  /**
   * What a reader sees, or {@link UnreadableValue}; empty if that is what he sees of an object that
   * nothing was done to.
   */
  public Optional<Object> value(VectorClock snapshot) {
    return version.flatMap(known -> value(known.type(), known.state(), snapshot));
  }

  /**
   * What a reader sees of a state, or {@link UnreadableValue}; empty if that is what he sees of an
   * object that nothing was done to.
   *
   * @param state of the type
   */
  public static <S> Optional<Object> value(
      CrdtType<S, ?, ?, ?> type, Object state, VectorClock snapshot) {
    Object value = UnreadableValue.valueOf(type, state, snapshot);
    return value.equals(type.value(type.initial(), snapshot))
        ? Optional.empty()
        : Optional.of(value);
  }
}
