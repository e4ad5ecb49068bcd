/**
 * Segments as files of Chronicle Queue. The only package that imports Chronicle; called by {@link
 * io.github.stablecut.journal.JournalDirectory} and {@link
 * io.github.stablecut.journal.ClosedJournal} only.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.journal.internal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
