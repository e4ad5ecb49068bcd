/**
 * Objects of any class that are replicated by logging their calls, and collections made of them
 * (Wei et al., "vCorfu", NSDI 2017). The package is a layer over the public API: an object's log is
 * a stream ({@link io.github.stablecut.key.StreamKey}), and its transactions are those of the
 * store. The reader, or the cluster node that has the object, folds the log into its state. The
 * engine's threads never execute an object's operations.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.object;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
