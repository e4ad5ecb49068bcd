/**
 * The store: interactive transactions with their own writes, over partitions in this process or on
 * other nodes ({@link io.github.stablecut.internal.transaction.PartitionProvider}). Implements the
 * public API; only the partitions beneath block callers.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
