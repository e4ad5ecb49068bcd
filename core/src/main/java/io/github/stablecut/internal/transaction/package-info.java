/**
 * Implements the public API of the store: interactive transactions that read their own writes, over
 * partitions in this process or on other nodes ({@link
 * io.github.stablecut.internal.transaction.routing.PartitionProvider}). Only the partitions block
 * callers.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
