/**
 * What leaves a store as JSON and comes back. Knows the public API of stores and the data types.
 * Called by the command line.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.exchange;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
