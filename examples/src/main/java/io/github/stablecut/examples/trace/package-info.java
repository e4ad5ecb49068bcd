/**
 * Replays recorded editing sessions on texts: {@link
 * io.github.stablecut.examples.trace.TraceCommand} reads a trace, has one replica per author edit
 * it, and compares what comes out with what the authors ended with. The only user of Jackson.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.trace;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
