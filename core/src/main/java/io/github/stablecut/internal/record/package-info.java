/**
 * The bodies of the records that a partition writes to its journal: the only place that knows their
 * bytes. What frames them, and what makes them durable, is the journal's affair.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.record;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
