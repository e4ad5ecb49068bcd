/**
 * Maps object ids to the exact journal positions of their effects, in memory, rebuilt by one scan
 * when a store is opened. Recent effects are kept beside their positions under a byte budget.
 * Written by the partition under its commit lock; read by anyone without a lock. It never reads the
 * journal.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.index;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
