package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.UnreadableValue;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.Key;

/**
 * An object that a scan found. Immutable.
 *
 * @param value the value as the type represents it, or an {@link UnreadableValue} if it cannot be
 *     represented
 */
public record StoredObject(Bytes bucket, Bytes key, CrdtType<?, ?, ?, ?> type, Object value) {
  /** Stands for the value that a scan of keys did not read. */
  private enum Unread {
    VALUE
  }

  /**
   * The value as the type represents it.
   *
   * @throws IllegalStateException if the scan was for keys only
   * @throws io.github.stablecut.error.LimitExceededException if the value is a counter's sum beyond
   *     the range of {@code long}
   */
  @Override
  public Object value() {
    if (value == Unread.VALUE) {
      throw new IllegalStateException(
          "the scan was for keys only and has no values: read %s, or scan without keysOnly()"
              .formatted(Key.nameOf(Key.id(bucket, key))));
    }
    if (value instanceof UnreadableValue unreadable) {
      throw unreadable.of(Key.nameOf(Key.id(bucket, key)));
    }
    return value;
  }

  /** Whether this object has the type of an example key, which may name any object. */
  public boolean isOf(Key<?> example) {
    return type.typeId() == example.type().typeId();
  }

  /**
   * The key of this object, with the class and codec of an example.
   *
   * @throws TypeMismatchException if the object has another type
   */
  public <K extends Key<?>> K keyAs(K example) {
    Key.checkType(Key.id(bucket, key), example.type(), type);
    return Key.alike(example, bucket, key);
  }

  /**
   * The value, as read by a key with the example's class and codec.
   *
   * <pre>{@code
   * RegisterKey<Order> example = Key.register("orders", "", orders); // of any object
   * try (Scan scan = store.snapshot().scan(ScanOptions.bucket("orders"))) {
   *   scan.stream()
   *       .filter(found -> found.isOf(example))
   *       .forEach(found -> System.out.println(found.valueAs(example)));
   * }
   * }</pre>
   *
   * @param example the key of an object, or of something inside one, such as {@link
   *     io.github.stablecut.key.ExpiringKey#object}
   * @throws TypeMismatchException if the object has another type
   * @throws IllegalArgumentException if the example reads something other than the object's value
   * @throws IllegalStateException if the scan was for keys only
   */
  public <V> V valueAs(Key<V> example) {
    return keyAs(example).viewOf(value());
  }

  /**
   * Creates an object with a value. For implementations of {@link Store}.
   *
   * @param id an id that {@link Key#id} returned
   */
  public static StoredObject of(Bytes id, CrdtType<?, ?, ?, ?> type, Object value) {
    return new StoredObject(Key.bucketOf(id), Key.keyOf(id), type, value);
  }

  /**
   * Creates an object that a scan of keys found. For implementations of {@link Store}.
   *
   * @param id an id that {@link Key#id} returned
   */
  public static StoredObject withoutValue(Bytes id, CrdtType<?, ?, ?, ?> type) {
    return of(id, type, Unread.VALUE);
  }
}
