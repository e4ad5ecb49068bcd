package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.key.Key;

/**
 * An object that a scan has come to. Immutable.
 *
 * @param value what a reader sees, as the type has it
 */
public record StoredObject(Bytes bucket, Bytes key, CrdtType<?, ?, ?, ?> type, Object value) {
  /**
   * For implementations of {@link Store}.
   *
   * @param id as {@link Key#id} gives it
   */
  public static StoredObject of(Bytes id, CrdtType<?, ?, ?, ?> type, Object value) {
    return new StoredObject(Key.bucketOf(id), Key.keyOf(id), type, value);
  }
}
