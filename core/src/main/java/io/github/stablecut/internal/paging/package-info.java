/**
 * Large states in checkpoints: a tree of pages, each an entry of a run of its own, so that a
 * checkpoint writes the pages that have changed, and a reader reads those that it needs.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.paging;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
