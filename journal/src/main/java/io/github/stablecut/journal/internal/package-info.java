/**
 * Segments as files: those of Chronicle Queue, and plain ones. Only {@code Chronicle…} classes
 * import Chronicle. Called by {@link io.github.stablecut.journal.SegmentLayout}, {@link
 * io.github.stablecut.journal.JournalDirectory} and {@link
 * io.github.stablecut.journal.ClosedJournal} only.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.journal.internal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
