/**
 * The embedded store: interactive transactions with their own writes, over one partition.
 * Implements the public API; everything that can block its callers is in the partition below.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
