package io.github.stablecut.key;

import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import java.util.Optional;

/**
 * Encodes a partition key as part of a key's bytes: two bytes that no text starts with, the
 * partition key with each byte 0 escaped as 0 255, then 0 1, then the rest of the key. So the
 * objects with one partition key are adjacent. For implementations of {@link Store}.
 */
public final class PartitionKeys {
  private static final Bytes MARK = Bytes.wrap(new byte[] {(byte) 255, 'P'});

  private PartitionKeys() {}

  /** The common prefix of the keys with a partition key. */
  public static Bytes prefix(Bytes partitionKey) {
    return with(partitionKey, Bytes.EMPTY);
  }

  /** Joins a partition key and the rest of a key. */
  static Bytes with(Bytes partitionKey, Bytes rest) {
    Bytes both = ObjectIds.of(partitionKey, rest);
    byte[] key = new byte[MARK.length() + both.length()];
    MARK.copyInto(key, 0);
    both.copyInto(key, MARK.length());
    return Bytes.wrap(key);
  }

  /** Whether a key starts with the mark of a partition key. */
  public static boolean isMarked(Bytes key) {
    return key.commonLength(MARK) == MARK.length();
  }

  /** The partition key in a key; empty if it has none. */
  public static Optional<Bytes> of(Bytes key) {
    if (!isMarked(key)) {
      return Optional.empty();
    }
    try {
      return Optional.of(ObjectIds.bucket(key.slice(MARK.length(), key.length())));
    } catch (FormatException e) {
      return Optional.empty();
    }
  }
}
