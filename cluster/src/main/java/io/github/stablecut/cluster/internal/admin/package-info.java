/**
 * The admin port: health, metrics, status, the console, and administrative commands. The only user
 * of Micrometer. Called by {@link io.github.stablecut.cluster.Server}.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.admin;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
