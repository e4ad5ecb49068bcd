/**
 * The loggers of all modules. They escape their arguments ({@link io.github.stablecut.log.Log}) and
 * limit messages that clients or other nodes can cause ({@link io.github.stablecut.log.LogLimit}).
 * No other code creates loggers.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.log;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
