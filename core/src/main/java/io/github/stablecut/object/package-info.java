/**
 * Objects of any class that are replicated by logging their calls, and collections made of them
 * (Wei et al., "vCorfu", NSDI 2017). A layer over the public API: an object's log is a stream
 * ({@link io.github.stablecut.key.StreamKey}), its state is folded by the reader, or by the node of
 * a cluster that has it, and its transactions are those of the store. The engine's threads never
 * execute an object's operations.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.object;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
