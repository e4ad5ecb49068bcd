package io.github.stablecut;

/**
 * The result of a conditional write. Immutable.
 *
 * @param isWritten whether the condition held and the updates were executed
 * @param found the values on which the condition was evaluated
 * @param token a point whose snapshot contains the updates or, if the condition did not hold, the
 *     values found
 */
public record ConditionalResult(boolean isWritten, Values found, CausalToken token) {}
