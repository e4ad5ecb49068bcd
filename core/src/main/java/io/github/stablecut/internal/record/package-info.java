/**
 * The bodies of the records in a partition's journal; only this package knows their bytes. The
 * journal frames them and makes them durable.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.record;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
