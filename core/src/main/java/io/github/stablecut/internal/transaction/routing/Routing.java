package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.KeyedHash;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.PartitionKeys;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Maps an object to its partition by a keyed hash of its id. A partition key ({@link
 * Key#withPartitionKey}) replaces the key in the hash. Without one, the first non-empty part in
 * braces does, as in {@code user:{42}:cart} (the hash tags of Redis Cluster). The bucket is always
 * hashed. Both keep related objects together. Immutable, thread-safe.
 */
public final class Routing {
  private final KeyedHash hash;
  private final int partitions;

  /**
   * @param seed the store's seed, which never changes
   */
  public Routing(long seed, int partitions) {
    this.hash = KeyedHash.of(seed);
    this.partitions = partitions;
  }

  /** Returns the partition of an object. */
  public int partition(Bytes id) {
    return partitions == 1 ? 0 : (int) Long.remainderUnsigned(hash.of(prefix(id)), partitions);
  }

  /**
   * Returns the partition of all objects of a range, if the range has one id or one tag; otherwise
   * empty.
   */
  OptionalInt partition(IdRange range) {
    if (partitions == 1) {
      return OptionalInt.of(0);
    }
    if (range.until().equals(Optional.of(range.from().successor()))) {
      return OptionalInt.of(partition(range.from()));
    }
    Bytes common = commonPrefix(range);
    try {
      return prefix(common).equals(common)
          ? OptionalInt.empty()
          : OptionalInt.of(partition(common));
    } catch (FormatException e) {
      // The common prefix ends within the bucket.
      return OptionalInt.empty();
    }
  }

  /** Returns the common prefix of all ids of a range. */
  private static Bytes commonPrefix(IdRange range) {
    Bytes from = range.from();
    Bytes until = range.until().orElse(Bytes.EMPTY);
    int length = from.commonLength(until);
    boolean isOfOnePrefix =
        until.length() == length + 1
            && from.length() > length
            && until.at(length) == from.at(length) + 1;
    return from.slice(0, isOfOnePrefix ? length + 1 : length);
  }

  /** Returns the part of an id that is hashed. */
  private static Bytes prefix(Bytes id) {
    byte[] bytes = id.toArray();
    Bytes name = Key.keyOf(id);
    int key = bytes.length - name.length();
    if (PartitionKeys.isMarked(name)) {
      return PartitionKeys.of(name).map(part -> join(id.slice(0, key), part)).orElse(id);
    }
    int open = find(bytes, '{', key);
    int close = open < 0 ? -1 : find(bytes, '}', open + 1);
    if (close <= open + 1) {
      return id;
    }
    byte[] counting = Arrays.copyOf(bytes, key + close - open - 1);
    System.arraycopy(bytes, open + 1, counting, key, close - open - 1);
    return Bytes.wrap(counting);
  }

  private static Bytes join(Bytes bucket, Bytes part) {
    byte[] joined = new byte[bucket.length() + part.length()];
    bucket.copyInto(joined, 0);
    part.copyInto(joined, bucket.length());
    return Bytes.wrap(joined);
  }

  private static int find(byte[] bytes, char wanted, int from) {
    for (int i = from; i < bytes.length; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }
}
