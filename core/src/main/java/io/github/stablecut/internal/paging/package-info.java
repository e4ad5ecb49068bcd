/**
 * Large states in checkpoints: a tree of pages, each its own entry of a run, so that a checkpoint
 * writes only changed pages, and a reader reads only those that it needs.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.paging;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
