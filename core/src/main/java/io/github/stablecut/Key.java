package io.github.stablecut;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.Codec;
import java.util.Objects;

/**
 * The name of an object together with its type: (bucket, key) says which object it is, the type
 * what can be done to it. An object gets its type from its first update; a key of another type is
 * refused from then on.
 *
 * <p>A key is a value: making one does nothing to any store. Immutable.
 *
 * @param <V> what a reader of the object sees
 */
public abstract sealed class Key<V> permits CounterKey, RegisterKey, AddWinsSetKey, ObjectKey {
  /** Bucket and key together have at most this many bytes: 32 KiB. */
  public static final int MAX_BYTES = 32 << 10;

  private final Bytes bucket;
  private final Bytes key;
  private final CrdtType<?, ?, ?, ?> type;
  private final Bytes id;

  Key(Bytes bucket, Bytes key, CrdtType<?, ?, ?, ?> type) {
    if (bucket.length() + key.length() > MAX_BYTES) {
      throw new LimitExceededException(
          "bucket and key have %,d bytes together, at most %,d are allowed: shorten them"
              .formatted(bucket.length() + key.length(), MAX_BYTES));
    }
    this.bucket = bucket;
    this.key = key;
    this.type = type;
    this.id = ObjectIds.of(bucket, key);
  }

  /** A counter that goes up and down. */
  public static CounterKey counter(String bucket, String key) {
    return new CounterKey(Bytes.utf8(bucket), Bytes.utf8(key));
  }

  /** A register in which the last writer wins. */
  public static <T> RegisterKey<T> register(String bucket, String key, Codec<T> values) {
    return new RegisterKey<>(
        Bytes.utf8(bucket), Bytes.utf8(key), Objects.requireNonNull(values, "codec"));
  }

  /** A set in which an addition wins over a concurrent removal. */
  public static <T> AddWinsSetKey<T> addWinsSet(String bucket, String key, Codec<T> elements) {
    return new AddWinsSetKey<>(
        Bytes.utf8(bucket), Bytes.utf8(key), Objects.requireNonNull(elements, "codec"));
  }

  /** An object of any type, with operations and values as the type has them. */
  public static <O, V> ObjectKey<O, V> of(Bytes bucket, Bytes key, CrdtType<?, O, ?, V> type) {
    return new ObjectKey<>(bucket, key, type);
  }

  /**
   * The id of an object, and what the ids of all objects in a bucket begin with whose keys begin
   * with some bytes. For implementations of {@link Store}.
   */
  public static Bytes id(Bytes bucket, Bytes key) {
    return ObjectIds.of(bucket, key);
  }

  /** The bucket, a name for a family of objects. */
  public final Bytes bucket() {
    return bucket;
  }

  /** The object's name in its bucket. */
  public final Bytes key() {
    return key;
  }

  /** The object's type. */
  public final CrdtType<?, ?, ?, ?> type() {
    return type;
  }

  /**
   * Bucket and key as one string of bytes, whose order is that of buckets and in a bucket that of
   * keys.
   */
  public final Bytes id() {
    return id;
  }

  /**
   * What a reader sees of a state. For implementations of {@link Store}.
   *
   * @param state a state of {@link #type()}
   * @param snapshot what it was read at
   */
  public abstract V view(Object state, VectorClock snapshot);

  /** Equal are keys of the same object and type, whatever their codecs. */
  @Override
  public final boolean equals(Object other) {
    return other instanceof Key<?> that
        && id.equals(that.id)
        && type.typeId() == that.type.typeId();
  }

  @Override
  public final int hashCode() {
    return id.hashCode();
  }

  @Override
  public final String toString() {
    return type.name() + " " + key + " in bucket " + bucket;
  }
}
