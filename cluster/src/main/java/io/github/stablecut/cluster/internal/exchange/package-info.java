/**
 * What leaves a store as lines of JSON ({@link
 * io.github.stablecut.cluster.internal.exchange.ExportWriter}, where the format is) and comes back
 * ({@link io.github.stablecut.cluster.internal.exchange.ImportReader}). Knows the public API of
 * stores, and the data types. Called by the command line, and by the port for operators ({@link
 * io.github.stablecut.cluster.internal.exchange.ObjectPages}).
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.exchange;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
