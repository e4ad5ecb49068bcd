package io.github.stablecut.cluster.internal.antidote;

/**
 * An operation on an object ({@code ApbUpdateOp}).
 *
 * @param object the object
 * @param operation what is done to it
 */
public record ObjectUpdate(BoundObject object, WireOperation operation) {}
