/**
 * Replays recorded editing sessions on texts: {@link
 * io.github.stablecut.examples.trace.TraceCommand} reads a trace, has it edited by one replica per
 * author in memory, or by the transactions of a store, and compares what comes out with what the
 * authors ended with.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.trace;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
