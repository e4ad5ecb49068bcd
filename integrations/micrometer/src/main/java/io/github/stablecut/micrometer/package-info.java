/**
 * A store's figures as metrics: {@link io.github.stablecut.micrometer.StablecutMetrics}, for
 * embedded stores and, under the same names, for servers.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.micrometer;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
