/**
 * Threads, executors that never block their callers, and blocking operations. Everything here
 * survives exceptions of the code that it runs. Called by the engine's packages; depends on none of
 * them.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.thread;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
