package io.github.stablecut.object;

/**
 * A state that a log produced. Immutable.
 *
 * @param isTyped whether the log has confirmed the type
 */
record LoadedState<S>(S state, boolean isTyped) {}
