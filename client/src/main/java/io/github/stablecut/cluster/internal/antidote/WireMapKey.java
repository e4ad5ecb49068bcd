package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.crdt.Bytes;

/**
 * A place in a map ({@code ApbMapKey}), ordered as answers list them.
 *
 * @param key the key
 * @param type the type of the object there
 */
public record WireMapKey(Bytes key, WireType type) implements Comparable<WireMapKey> {
  @Override
  public int compareTo(WireMapKey other) {
    int byKey = key.compareTo(other.key);
    return byKey != 0 ? byKey : type.compareTo(other.type);
  }
}
