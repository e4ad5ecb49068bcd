package io.github.stablecut;

/**
 * The result of a conditional write. Immutable.
 *
 * @param isWritten whether the condition held, so that the updates were executed
 * @param found the values that the condition was evaluated on
 * @param token its snapshot contains the updates or, if the condition did not hold, the values
 *     found
 */
public record ConditionalResult(boolean isWritten, Values found, CausalToken token) {}
