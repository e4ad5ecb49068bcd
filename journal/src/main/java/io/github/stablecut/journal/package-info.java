/**
 * The journal: an unbounded log of opaque records with group commit, split into segments. It knows
 * neither transactions nor data types. Its only thread is that of {@link
 * io.github.stablecut.journal.GroupCommitter}.
 *
 * <p>{@link io.github.stablecut.journal.Journal#append} queues a record. The group commit makes it
 * durable together with the records that arrived meanwhile: it frames, appends, forces and
 * announces them. {@link io.github.stablecut.journal.segment.RecordFormat} defines the format and
 * what a crash can leave; {@link io.github.stablecut.journal.Recovery} reads it at open. The bytes
 * are stored in a {@link io.github.stablecut.journal.segment.SegmentStore}: files of Chronicle
 * Queue or plain ones ({@link io.github.stablecut.journal.SegmentLayout}), or memory that loses
 * what a power failure would lose.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.journal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
