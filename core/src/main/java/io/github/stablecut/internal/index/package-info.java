/**
 * The in-memory index from object ids to the journal positions of their effects. One scan of the
 * journal rebuilds it when a store is opened. Recent effects are kept with their positions within a
 * byte budget. The partition writes the index under its commit lock; any thread reads it without a
 * lock. It never reads the journal.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.index;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
