package io.github.stablecut.key;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Expiring;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import java.util.Map;
import java.util.Optional;

/** A step from an object to one inside it. Immutable. */
sealed interface PathStep {
  /** The type of the outer object, given the type of the inner one. */
  CrdtType<?, Object, ?, Object> outerType(CrdtType<?, Object, ?, Object> type);

  /** Wraps an operation on the inner object into one on the outer object. */
  Object outerOperation(CrdtType<?, Object, ?, Object> type, Object operation);

  /** Extracts the value of the inner object from the value of the outer one. */
  Object innerValue(CrdtType<?, Object, ?, Object> type, Object value);

  /** Whether the outer object is a map of the given kind. */
  boolean isInto(MapKind kind);

  /** The inner object's entry in the outer map; empty if the outer object is not a map. */
  Optional<MapKey<?, ?>> entry(CrdtType<?, Object, ?, Object> type);

  /** Casts a type to one whose operations and values are checked only at run time. */
  @SuppressWarnings("unchecked") // keys pass only operations of the type
  static CrdtType<?, Object, ?, Object> untyped(CrdtType<?, ?, ?, ?> type) {
    return (CrdtType<?, Object, ?, Object>) type;
  }

  /** A step into a map. */
  record InMap(MapKind kind, Bytes name) implements PathStep {
    @Override
    public CrdtType<?, Object, ?, Object> outerType(CrdtType<?, Object, ?, Object> type) {
      return kind.type();
    }

    @Override
    public Object outerOperation(CrdtType<?, Object, ?, Object> type, Object operation) {
      MapKey<Object, Object> entry = new MapKey<>(name, type);
      return switch (kind) {
        case GROW_ONLY -> GrowOnlyMap.Update.of(entry, operation);
        case RECURSIVE -> new RecursiveResetMap.Update<>(entry, operation);
      };
    }

    /** The type's initial value if there is no such entry. */
    @Override
    @SuppressWarnings("unchecked") // the outer value is a map
    public Object innerValue(CrdtType<?, Object, ?, Object> type, Object value) {
      return new MapKey<>(name, type)
          .in((Map<MapKey<?, ?>, Object>) value)
          .orElseGet(() -> initialValue(type));
    }

    private static <S> Object initialValue(CrdtType<S, ?, ?, ?> type) {
      return type.value(type.initial(), VectorClock.ZERO);
    }

    @Override
    public boolean isInto(MapKind other) {
      return kind == other;
    }

    @Override
    public Optional<MapKey<?, ?>> entry(CrdtType<?, Object, ?, Object> type) {
      return Optional.of(new MapKey<>(name, type));
    }

    @Override
    public String toString() {
      return name + " in map ";
    }
  }

  /** The kinds of maps. */
  enum MapKind {
    GROW_ONLY,
    RECURSIVE;

    private CrdtType<?, Object, ?, Object> type() {
      return untyped(this == GROW_ONLY ? GrowOnlyMap.TYPE : RecursiveResetMap.TYPE);
    }
  }

  /** A step into an expiring object, which has the value of its content. */
  record Inside() implements PathStep {
    @Override
    public CrdtType<?, Object, ?, Object> outerType(CrdtType<?, Object, ?, Object> type) {
      return untyped(Expiring.of(type));
    }

    @Override
    public Object outerOperation(CrdtType<?, Object, ?, Object> type, Object operation) {
      return new Expiring.Update<>(operation);
    }

    @Override
    public Object innerValue(CrdtType<?, Object, ?, Object> type, Object value) {
      return value;
    }

    @Override
    public boolean isInto(MapKind kind) {
      return false;
    }

    @Override
    public Optional<MapKey<?, ?>> entry(CrdtType<?, Object, ?, Object> type) {
      return Optional.empty();
    }

    @Override
    public String toString() {
      return "content of expiring ";
    }
  }
}
