/**
 * Stablecut's public API: open a {@link io.github.stablecut.Store} with {@link
 * io.github.stablecut.Stablecut#open}, name objects with {@link io.github.stablecut.key.Key}s,
 * change them by {@link io.github.stablecut.key.Update}s, singly or in a {@link
 * io.github.stablecut.Transaction}, and read them now or as of a {@link
 * io.github.stablecut.CausalToken}.
 *
 * <p>The packages beside this one: {@code key} has the names of objects, one class per data type;
 * {@code map} has tables of records on top of it; {@code option} what a store, a transaction or a
 * watch is opened with; {@code error} every exception, in five groups that say what to do; {@code
 * tools} what looks at a closed store.
 *
 * <p>Everything not in a package called {@code internal} is for users; the rest may change at any
 * time.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
