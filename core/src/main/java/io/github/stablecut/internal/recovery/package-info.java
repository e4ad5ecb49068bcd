/**
 * The directory of a store: its lock, its identity and what may lie in it. It is asked before
 * anything else is opened.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.recovery;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
