/**
 * What is counted while a store works. Never makes a caller wait for another one. Called by the
 * engine's packages and the server; knows none of them.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.meter;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
