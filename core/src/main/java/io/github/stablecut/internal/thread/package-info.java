/** Threads that parts of a store start and join. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.thread;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
