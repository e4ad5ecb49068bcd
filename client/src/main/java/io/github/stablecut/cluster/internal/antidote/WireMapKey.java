package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.crdt.Bytes;

/**
 * The key of an entry in a map ({@code ApbMapKey}), in the order in which answers list entries.
 *
 * @param key the key
 * @param type the type of the entry's object
 */
public record WireMapKey(Bytes key, WireType type) implements Comparable<WireMapKey> {
  @Override
  public int compareTo(WireMapKey other) {
    int byKey = key.compareTo(other.key);
    return byKey != 0 ? byKey : type.compareTo(other.type);
  }
}
