/**
 * Replays recorded editing sessions on texts. {@link
 * io.github.stablecut.examples.trace.TraceCommand} reads a trace, replays it on one replica per
 * author in memory or in transactions of a store, and compares the result with the authors' final
 * text.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.trace;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
