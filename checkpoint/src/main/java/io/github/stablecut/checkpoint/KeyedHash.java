package io.github.stablecut.checkpoint;

import io.github.stablecut.checkpoint.internal.SipHash;
import io.github.stablecut.crdt.Bytes;

/**
 * The hash used in the indexes of runs, for other code that distributes ids. It is keyed, so that
 * ids with equal hashes can't be chosen without the key. Immutable, thread-safe.
 */
public final class KeyedHash {
  private final SipHash hash;

  private KeyedHash(SipHash hash) {
    this.hash = hash;
  }

  /** The hash function with a key. */
  public static KeyedHash of(long key) {
    return new KeyedHash(SipHash.ofSeed(key));
  }

  /** The hash of an id; all 64 bits are equally random. */
  public long of(Bytes id) {
    return hash.of(id.toArray());
  }
}
