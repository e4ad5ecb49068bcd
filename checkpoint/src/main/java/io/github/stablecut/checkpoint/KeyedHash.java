package io.github.stablecut.checkpoint;

import io.github.stablecut.checkpoint.internal.SipHash;
import io.github.stablecut.crdt.Bytes;

/**
 * The hash that runs are searched by, for others that spread ids: keyed, so that nobody who does
 * not know the key can choose ids with equal hashes. Immutable, thread-safe.
 */
public final class KeyedHash {
  private final SipHash hash;

  private KeyedHash(SipHash hash) {
    this.hash = hash;
  }

  /** The hash of a key. */
  public static KeyedHash of(long key) {
    return new KeyedHash(SipHash.ofSeed(key));
  }

  /** The hash of an id, all 64 bits alike. */
  public long of(Bytes id) {
    return hash.of(id.toArray());
  }
}
