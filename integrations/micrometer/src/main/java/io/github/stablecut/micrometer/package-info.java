/**
 * The figures of a store as metrics: {@link io.github.stablecut.micrometer.StablecutMetrics}, for
 * stores in a program and, by the same names, for servers.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.micrometer;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
