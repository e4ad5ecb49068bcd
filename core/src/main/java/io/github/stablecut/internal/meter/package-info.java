/**
 * Measurements of a running store. Never blocks a caller. Called by the engine's packages and the
 * server; depends on none of them.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.meter;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
