package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.UnreadableValue;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.Key;

/**
 * An object that a scan has come to. Immutable.
 *
 * @param value what a reader sees, as the type has it; {@link UnreadableValue} in the place of what
 *     he can't be given
 */
public record StoredObject(Bytes bucket, Bytes key, CrdtType<?, ?, ?, ?> type, Object value) {
  /** In the place of the value that a scan of keys has not looked at. */
  private enum Unread {
    VALUE
  }

  /**
   * What a reader sees, as the type has it.
   *
   * @throws IllegalStateException if the scan was for keys only
   * @throws io.github.stablecut.error.LimitExceededException if it is the sum of a counter that a
   *     {@code long} can't hold
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

  /** Whether a key with the type of the example, whatever object that is of, reads this object. */
  public boolean isOf(Key<?> example) {
    return type.typeId() == example.type().typeId();
  }

  /**
   * The key of this object, of the class and with the codec of an example.
   *
   * @throws TypeMismatchException if the object is of another type
   */
  public <K extends Key<?>> K keyAs(K example) {
    Key.checkType(Key.id(bucket, key), example.type(), type);
    return Key.alike(example, bucket, key);
  }

  /**
   * The value as a key of the example's class and codec reads it.
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
   * @param example of an object, or of something in one, such as {@link
   *     io.github.stablecut.key.ExpiringKey#object}
   * @throws TypeMismatchException if the object is of another type
   * @throws IllegalArgumentException if the example reads something else than the value
   * @throws IllegalStateException if the scan was for keys only
   */
  public <V> V valueAs(Key<V> example) {
    return keyAs(example).viewOf(value());
  }

  /**
   * For implementations of {@link Store}.
   *
   * @param id as {@link Key#id} gives it
   */
  public static StoredObject of(Bytes id, CrdtType<?, ?, ?, ?> type, Object value) {
    return new StoredObject(Key.bucketOf(id), Key.keyOf(id), type, value);
  }

  /**
   * An object that a scan of keys has come to. For implementations of {@link Store}.
   *
   * @param id as {@link Key#id} gives it
   */
  public static StoredObject withoutValue(Bytes id, CrdtType<?, ?, ?, ?> type) {
    return of(id, type, Unread.VALUE);
  }
}
