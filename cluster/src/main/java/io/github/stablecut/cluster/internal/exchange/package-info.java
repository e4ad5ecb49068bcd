/**
 * Exports stores as lines of JSON ({@link
 * io.github.stablecut.cluster.internal.exchange.ExportWriter}, which specifies the format) and
 * imports them ({@link io.github.stablecut.cluster.internal.exchange.ImportReader}). Uses the
 * public API of stores and the data types. Called by the command line and by the admin port ({@link
 * io.github.stablecut.cluster.internal.exchange.ObjectPages}).
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.exchange;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
