package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.crdt.Bytes;

/**
 * An object as a message names it ({@code ApbBoundObject}).
 *
 * @param key its key; may be empty
 * @param type the type that the sender expects
 * @param bucket its bucket; may be empty
 */
public record BoundObject(Bytes key, WireType type, Bytes bucket) {}
