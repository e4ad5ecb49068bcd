package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Unreadable;
import io.github.stablecut.key.Key;

/**
 * An object that a scan has come to. Immutable.
 *
 * @param value what a reader sees, as the type has it; {@link Unreadable} in the place of what he
 *     can't be given
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
    if (value instanceof Unreadable unreadable) {
      throw unreadable.of(Key.nameOf(Key.id(bucket, key)));
    }
    return value;
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
