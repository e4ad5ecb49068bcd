package io.github.stablecut;

/**
 * What came of a conditional write. Immutable.
 *
 * @param isWritten whether the condition held, so that the updates were executed
 * @param found what the condition was asked about
 * @param token a point at which the updates are seen; or one at which the condition did not hold
 */
public record ConditionalResult(boolean isWritten, Values found, CausalToken token) {}
