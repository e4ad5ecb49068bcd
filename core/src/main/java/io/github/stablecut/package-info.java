/**
 * Stablecut's public API: open a {@link io.github.stablecut.Store} with {@link
 * io.github.stablecut.Stablecut#open}, name objects with {@link io.github.stablecut.Key}s, change
 * them by {@link io.github.stablecut.Update}s, singly or in a {@link
 * io.github.stablecut.Transaction}, and read them now or as of a {@link
 * io.github.stablecut.CausalToken}.
 *
 * <p>Everything not in a package called {@code internal} is for users; the rest may change at any
 * time.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
