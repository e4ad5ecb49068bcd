/**
 * The loggers of all modules: they escape what they are given ({@link
 * io.github.stablecut.log.Log}), and limit how often one message is written that clients or other
 * nodes can cause ({@link io.github.stablecut.log.LogLimit}). Nothing else creates a logger.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.log;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
