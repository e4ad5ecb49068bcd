package io.github.stablecut;

/**
 * What a transaction returned, and the point after it. Immutable if the value is.
 *
 * @param value what the function returned
 * @param token a token of a point at which the transaction's updates are seen
 */
public record Transacted<R>(R value, CausalToken token) {}
