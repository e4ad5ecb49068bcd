package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.util.Arrays;

/**
 * Encodes bucket and key as one id: the bucket with each byte 0 escaped as 0 255, then 0 1, then
 * the key. So ids sort by bucket, then by key, and different pairs have different ids.
 */
final class ObjectIds {
  private ObjectIds() {}

  static Bytes of(Bytes bucket, Bytes key) {
    int zeros = 0;
    for (int i = 0; i < bucket.length(); i++) {
      zeros += bucket.at(i) == 0 ? 1 : 0;
    }
    byte[] id = new byte[bucket.length() + zeros + 2 + key.length()];
    int at = 0;
    for (int i = 0; i < bucket.length(); i++) {
      id[at++] = (byte) bucket.at(i);
      if (bucket.at(i) == 0) {
        id[at++] = (byte) 255;
      }
    }
    id[at++] = 0;
    id[at++] = 1;
    key.copyInto(id, at);
    return Bytes.wrap(id);
  }

  /** The bucket in an id. */
  static Bytes bucket(Bytes id) {
    byte[] bucket = new byte[keyStart(id) - 2];
    int length = 0;
    for (int i = 0; i < bucket.length; i++) {
      bucket[length++] = (byte) id.at(i);
      i += id.at(i) == 0 ? 1 : 0;
    }
    return Bytes.wrap(Arrays.copyOf(bucket, length));
  }

  /** The key in an id. */
  static Bytes key(Bytes id) {
    return Bytes.wrap(Arrays.copyOfRange(id.toArray(), keyStart(id), id.length()));
  }

  private static int keyStart(Bytes id) {
    for (int at = 0; at + 1 < id.length(); at += id.at(at) == 0 ? 2 : 1) {
      if (id.at(at) == 0 && id.at(at + 1) == 1) {
        return at + 2;
      }
    }
    throw new FormatException(
        id + " is not the id of an object: it has no separator of bucket and key");
  }
}
