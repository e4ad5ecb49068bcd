/**
 * Threads that parts of a store start and join, and executors in front of which nobody waits.
 * Everything here survives what it runs. Called by the engine's packages; knows none of them.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.thread;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
