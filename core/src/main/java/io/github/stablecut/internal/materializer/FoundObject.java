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
 * An object found by a scan; its type is {@link SeveralTypes} if it has several. Immutable.
 *
 * @param version the version that the snapshot sees; empty if only keys are requested, the object
 *     has one type, and its value is known to differ from the initial one
 */
public record FoundObject(Bytes id, CrdtType<?, ?, ?, ?> type, Optional<Version> version) {
  /** Creates a found object with its version. */
  public static FoundObject of(Bytes id, Version version) {
    return new FoundObject(id, version.type(), Optional.of(version));
  }

  /** The approximate size of the version, in bytes. */
  public long bytes() {
    return version.map(Version::bytes).orElse(0);
  }

  /** Returns the object as each of its types, sorted by type id; usually just itself. */
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
   * Returns the value that a reader sees, or {@link UnreadableValue}; empty if it equals the value
   * of an object without effects.
   */
  public Optional<Object> value(VectorClock snapshot) {
    return version.flatMap(known -> value(known.type(), known.state(), snapshot));
  }

  /**
   * Returns the value of a state, or {@link UnreadableValue}; empty if it equals the value of an
   * object without effects.
   *
   * @param state a state of the type
   */
  public static <S> Optional<Object> value(
      CrdtType<S, ?, ?, ?> type, Object state, VectorClock snapshot) {
    Object value = UnreadableValue.valueOf(type, state, snapshot);
    return value.equals(type.value(type.initial(), snapshot))
        ? Optional.empty()
        : Optional.of(value);
  }
}
