package io.github.stablecut.tools;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.Key;

/**
 * What a stored object is called. Immutable.
 *
 * @param bucket the bucket
 * @param key its name in the bucket
 */
public record ObjectName(Bytes bucket, Bytes key) {
  /**
   * The name that an id stands for.
   *
   * @throws io.github.stablecut.crdt.FormatException if it is no id
   */
  static ObjectName of(Bytes id) {
    return new ObjectName(Key.bucketOf(id), Key.keyOf(id));
  }

  @Override
  public String toString() {
    return bucket + "/" + key;
  }
}
