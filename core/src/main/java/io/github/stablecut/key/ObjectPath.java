package io.github.stablecut.key;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.PathStep.MapKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The location of an object: the bucket and key of a stored object, and the steps from there into
 * it. Converts operations on the object, and values of it, to and from those of the enclosing
 * objects. Types are known at run time only; the key that contains a path knows them statically.
 * Immutable.
 *
 * @param steps from the stored object inwards; empty for the stored object itself
 */
record ObjectPath(Bytes bucket, Bytes key, Bytes id, List<PathStep> steps) {
  static ObjectPath of(String bucket, String key) {
    return of(
        Bytes.utf8(Objects.requireNonNull(bucket, "bucket")),
        Bytes.utf8(Objects.requireNonNull(key, "key")));
  }

  static ObjectPath of(Bytes bucket, Bytes key) {
    if (bucket.length() + key.length() > Key.MAX_BYTES) {
      throw new LimitExceededException(
          "bucket and key have %,d bytes together, more than the limit of %,d: shorten them"
              .formatted(bucket.length() + key.length(), Key.MAX_BYTES));
    }
    return new ObjectPath(bucket, key, ObjectIds.of(bucket, key), List.of());
  }

  /** The same path with a partition key added to the key. */
  ObjectPath withPartitionKey(Bytes partitionKey) {
    if (PartitionKeys.isMarked(key)) {
      throw new IllegalArgumentException(this + " already has a partition key");
    }
    ObjectPath stored = of(bucket, PartitionKeys.with(partitionKey, key));
    return new ObjectPath(bucket, stored.key, stored.id, steps);
  }

  /** The same path in another stored object. */
  ObjectPath elsewhere(Bytes otherBucket, Bytes otherKey) {
    ObjectPath stored = of(otherBucket, otherKey);
    return new ObjectPath(otherBucket, otherKey, stored.id, steps);
  }

  /** Extracts the object's value from the value of the stored object. */
  Object ofStored(CrdtType<?, Object, ?, Object> type, Object stored) {
    return value(0, steps.size(), type, stored);
  }

  /** A codec whose decoding errors name this object. */
  <T> Codec<T> codec(Codec<T> values) {
    return new NamedObjectCodec<>(this, values);
  }

  /** The path with a further step inwards. */
  ObjectPath then(PathStep step) {
    List<PathStep> extended = new ArrayList<>(steps);
    extended.add(step);
    return new ObjectPath(bucket, key, id, List.copyOf(extended));
  }

  /** The type of the stored object, given the type of this object. */
  CrdtType<?, Object, ?, Object> storedType(CrdtType<?, Object, ?, Object> type) {
    CrdtType<?, Object, ?, Object> stored = type;
    for (int i = steps.size() - 1; i >= 0; i--) {
      stored = steps.get(i).outerType(stored);
    }
    return stored;
  }

  /** Wraps an operation on this object into one on the stored object. */
  Object storedOperation(CrdtType<?, Object, ?, Object> type, Object operation) {
    return operationAt(0, type, operation);
  }

  /**
   * Wraps an operation on this object into one on an enclosing object; empty if that does not
   * enclose it.
   */
  Optional<Object> operationAt(
      ObjectPath outer, CrdtType<?, Object, ?, Object> type, Object operation) {
    return isIn(outer)
        ? Optional.of(operationAt(outer.steps.size(), type, operation))
        : Optional.empty();
  }

  private Object operationAt(int depth, CrdtType<?, Object, ?, Object> type, Object operation) {
    CrdtType<?, Object, ?, Object> outerType = type;
    Object outerOperation = operation;
    for (int i = steps.size() - 1; i >= depth; i--) {
      outerOperation = steps.get(i).outerOperation(outerType, outerOperation);
      outerType = steps.get(i).outerType(outerType);
    }
    return outerOperation;
  }

  /** Wraps a question about this object into one about the stored object. */
  <A> Question<A> questionIn(CrdtType<?, Object, ?, Object> type, Question<A> question) {
    Question<A> outer = question;
    CrdtType<?, Object, ?, Object> outerType = type;
    for (int i = steps.size() - 1; i >= 0; i--) {
      Optional<MapKey<?, ?>> entry = steps.get(i).entry(outerType);
      outer = entry.isPresent() ? new Question.InEntry<>(entry.get(), outer) : outer;
      outerType = steps.get(i).outerType(outerType);
    }
    return outer;
  }

  /** Wraps a footprint in this object into one in the stored object. */
  Footprint footprintIn(CrdtType<?, Object, ?, Object> type, Footprint part) {
    Footprint outer = part;
    CrdtType<?, Object, ?, Object> outerType = type;
    for (int i = steps.size() - 1; i >= 0; i--) {
      Optional<MapKey<?, ?>> entry = steps.get(i).entry(outerType);
      outer = entry.isPresent() ? new Footprint.Entry(entry.get(), outer) : outer;
      outerType = steps.get(i).outerType(outerType);
    }
    return outer;
  }

  /** Extracts the object's value from a state of the stored object. */
  Object valueIn(Object state, CrdtType<?, Object, ?, Object> type, VectorClock snapshot) {
    Object stored = valueOf(storedType(type), state, snapshot);
    return value(0, steps.size(), type, stored);
  }

  @SuppressWarnings("unchecked") // the caller passes a state of the type
  static <S> Object valueOf(CrdtType<S, ?, ?, ?> type, Object state, VectorClock snapshot) {
    return type.value((S) state, snapshot);
  }

  /** Extracts the object's value from the value of a map; empty if the map does not contain it. */
  Optional<Object> valueAt(
      ObjectPath map, MapKind kind, CrdtType<?, Object, ?, Object> type, Object value) {
    return isIn(map, kind)
        ? Optional.of(value(map.steps.size(), steps.size(), type, value))
        : Optional.empty();
  }

  /** Extracts the value after {@code to} steps from the value after {@code from} steps. */
  private Object value(int from, int to, CrdtType<?, Object, ?, Object> type, Object value) {
    if (from == to) {
      return value;
    }
    PathStep last = steps.get(to - 1);
    return last.innerValue(type, value(from, to - 1, last.outerType(type), value));
  }

  /**
   * The entry of a map that contains this object, directly or as the content of an expiring object;
   * empty if there is none.
   */
  Optional<MapKey<?, ?>> entryOf(
      ObjectPath map, MapKind kind, CrdtType<?, Object, ?, Object> type) {
    if (!isIn(map, kind)) {
      return Optional.empty();
    }
    CrdtType<?, Object, ?, Object> entryType = type;
    for (int i = steps.size() - 1; i > map.steps.size(); i--) {
      if (steps.get(i).entry(entryType).isPresent()) {
        return Optional.empty(); // in a nested map
      }
      entryType = steps.get(i).outerType(entryType);
    }
    return steps.get(map.steps.size()).entry(entryType);
  }

  private boolean isIn(ObjectPath map, MapKind kind) {
    return steps.size() > map.steps.size() && isIn(map) && steps.get(map.steps.size()).isInto(kind);
  }

  private boolean isIn(ObjectPath outer) {
    return id.equals(outer.id)
        && steps.size() >= outer.steps.size()
        && steps.subList(0, outer.steps.size()).equals(outer.steps);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    steps.forEach(step -> text.insert(0, step));
    return text.append(key).append(" in bucket ").append(bucket).toString();
  }
}
