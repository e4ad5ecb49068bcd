package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.util.Map;
import java.util.Optional;

/**
 * The identity of an object in a map: a key and the object's type. Objects of different types may
 * share a key. Ordered by key, then by type id. Immutable.
 *
 * @param <O> the operations on the object
 * @param <V> the object's value
 */
public record MapKey<O, V>(Bytes key, CrdtType<?, O, ?, V> type)
    implements Comparable<MapKey<?, ?>> {
  public static final int MIN_BYTES = 2;

  /** The object's value in the value of a map; empty if absent. */
  @SuppressWarnings("unchecked") // a map's value holds a value of the key's type for each key
  public Optional<V> in(Map<MapKey<?, ?>, Object> map) {
    return Optional.ofNullable((V) map.get(this));
  }

  /** The object's value in the value of a map; that of a new object if absent. */
  public Object valueIn(Map<MapKey<?, ?>, Object> map) {
    Object value = map.get(this);
    return value == null ? initialValueOf(type) : value;
  }

  private static <S> Object initialValueOf(CrdtType<S, ?, ?, ?> type) {
    return type.value(type.initial(), VectorClock.ZERO);
  }

  public void write(Encoder out) {
    out.writeBytes(key);
    out.writeUnsigned(type.typeId());
  }

  public static MapKey<?, ?> read(Decoder in) {
    Bytes key = in.readBytes();
    long typeId = in.readUnsigned();
    return new MapKey<>(
        key,
        CrdtTypes.byId(typeId)
            .orElseThrow(
                () ->
                    new FormatException(
                        "unknown type " + typeId + ": written by a newer version")));
  }

  public void writeOperation(O operation, Encoder out) {
    out.enter();
    type.writeOperation(operation, out);
    out.exit();
  }

  public O readOperation(Decoder in) {
    in.enter();
    O operation = type.readOperation(in);
    in.exit();
    return operation;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MapKey<?, ?> that && key.equals(that.key) && type.equals(that.type);
  }

  @Override
  public int hashCode() {
    return 31 * key.hashCode() + type.hashCode();
  }

  @Override
  public int compareTo(MapKey<?, ?> other) {
    int byKey = key.compareTo(other.key);
    return byKey != 0 ? byKey : Integer.compare(type.typeId(), other.type.typeId());
  }

  @Override
  public String toString() {
    return key + ": " + type.name();
  }
}
