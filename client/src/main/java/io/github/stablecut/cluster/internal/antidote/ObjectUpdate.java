package io.github.stablecut.cluster.internal.antidote;

/**
 * An operation on an object ({@code ApbUpdateOp}).
 *
 * @param object the object
 * @param operation the operation on it
 */
public record ObjectUpdate(BoundObject object, WireOperation operation) {}
