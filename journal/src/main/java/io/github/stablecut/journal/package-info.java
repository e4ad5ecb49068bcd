/**
 * The journal: an endless log of opaque records with group commit, cut into segments. It knows
 * neither transactions nor data types, and it starts no thread but the one of {@link
 * io.github.stablecut.journal.GroupCommitter}.
 *
 * <p>A record is handed over with {@link io.github.stablecut.journal.Journal#append} and is made
 * durable together with those that arrived meanwhile: framed, appended, forced, announced. {@link
 * io.github.stablecut.journal.RecordFormat} is the format and says what a crash can leave; {@link
 * io.github.stablecut.journal.Recovery} is the reading of it at open. The bytes lie in a {@link
 * io.github.stablecut.journal.SegmentStore}: files written by Chronicle Queue, or memory that loses
 * what a power cut would.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.journal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
