package io.github.stablecut.tools;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.Key;

/**
 * The name of a stored object. Immutable.
 *
 * @param bucket the bucket
 * @param key its key in the bucket
 */
public record ObjectName(Bytes bucket, Bytes key) {
  /**
   * Decodes an id.
   *
   * @throws io.github.stablecut.crdt.FormatException if the bytes are not an id
   */
  static ObjectName of(Bytes id) {
    return new ObjectName(Key.bucketOf(id), Key.keyOf(id));
  }

  @Override
  public String toString() {
    return bucket + "/" + key;
  }
}
