/**
 * Segments and what they contain: the format of records, their numbers, and the tails that a crash
 * leaves.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.journal.segment;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
