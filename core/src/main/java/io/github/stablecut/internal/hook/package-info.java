/**
 * Runs users' hooks before and after commits, on separate threads and with timeouts, so that hooks
 * can't harm the store. Called by transactions; uses the public API only.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.hook;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
