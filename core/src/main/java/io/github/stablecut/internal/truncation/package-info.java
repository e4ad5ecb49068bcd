/**
 * Which past is still needed, and forgetting the rest: the snapshots that are in use, the five
 * times of the report (section 2.7.2), checkpoints, and what may be deleted after them. Background
 * work of a partition; it reads through the materialiser and never holds the commit lock while it
 * does.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.truncation;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
