package io.github.stablecut.object;

/**
 * A state, as a log makes it. Immutable.
 *
 * @param isTyped whether the log has said that it is of the type
 */
record LoadedState<S>(S state, boolean isTyped) {}
