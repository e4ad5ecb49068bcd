package io.github.stablecut.key;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Expiring;
import io.github.stablecut.crdt.GrowOnlyMap;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.RecursiveResetMap;
import java.util.Map;
import java.util.Optional;

/** The way from an object to one inside it. Immutable. */
sealed interface PathStep {
  /** The type of the outer object, if the inner one is of a type. */
  CrdtType<?, Object, ?, Object> outerType(CrdtType<?, Object, ?, Object> type);

  /** What an operation on the inner object is for the outer one. */
  Object outerOperation(CrdtType<?, Object, ?, Object> type, Object operation);

  /** The value of the inner object, of that of the outer one. */
  Object innerValue(CrdtType<?, Object, ?, Object> type, Object value);

  /** Whether the outer object is a map of a kind. */
  boolean isInto(MapKind kind);

  /** The entry of a map that the inner object is; empty if the outer object is no map. */
  Optional<MapKey<?, ?>> entry(CrdtType<?, Object, ?, Object> type);

  /** A type with operations and values as it has them at run time. */
  @SuppressWarnings("unchecked") // keys give types their own operations only
  static CrdtType<?, Object, ?, Object> untyped(CrdtType<?, ?, ?, ?> type) {
    return (CrdtType<?, Object, ?, Object>) type;
  }

  /** Into a map. */
  record InMap(MapKind kind, Bytes name) implements PathStep {
    @Override
    public CrdtType<?, Object, ?, Object> outerType(CrdtType<?, Object, ?, Object> type) {
      return kind.type();
    }

    @Override
    public Object outerOperation(CrdtType<?, Object, ?, Object> type, Object operation) {
      MapKey<Object, Object> place = new MapKey<>(name, type);
      return switch (kind) {
        case GROW_ONLY -> GrowOnlyMap.Update.of(place, operation);
        case RECURSIVE -> new RecursiveResetMap.Update<>(place, operation);
      };
    }

    /** That of an object that nothing was done to, if the entry isn't there. */
    @Override
    @SuppressWarnings("unchecked") // the value of a map
    public Object innerValue(CrdtType<?, Object, ?, Object> type, Object value) {
      return new MapKey<>(name, type)
          .in((Map<MapKey<?, ?>, Object>) value)
          .orElseGet(() -> first(type));
    }

    private static <S> Object first(CrdtType<S, ?, ?, ?> type) {
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

  /** The maps that there are. */
  enum MapKind {
    GROW_ONLY,
    RECURSIVE;

    private CrdtType<?, Object, ?, Object> type() {
      return untyped(this == GROW_ONLY ? GrowOnlyMap.TYPE : RecursiveResetMap.TYPE);
    }
  }

  /** Into an object that expires, whose value is that of the object inside. */
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
      return "what expires in ";
    }
  }
}
