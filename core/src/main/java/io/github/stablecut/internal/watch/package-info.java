/**
 * Telling what was committed, in the order of commit times: each partition's commits from its
 * journal and as they become durable, joined over the partitions; those of other data centres once
 * they are visible. Calls partitions only through {@link
 * io.github.stablecut.internal.watch.CommitSource}; never blocks who commits, and never holds the
 * past.
 *
 * <p>The way of a commit: {@code Committer} puts it into the {@link
 * io.github.stablecut.internal.watch.CommitFeed} of its partition, by reference, before its stable
 * vector reaches it. The thread {@code watch-dispatch} ({@link
 * io.github.stablecut.internal.watch.WatchDispatcher}) takes it, holds it in the {@link
 * io.github.stablecut.internal.watch.CommitMerger} until the stable vectors of all partitions have
 * reached it, and puts it into the buffer of each watch that wants it.
 *
 * <p>Invariant: no gap between past and present. A watch first has its buffer join the present, and
 * learns a point after which all own commits go there; only then it reads the journals up to that
 * point, and to their ends, where those of other data centres may be that are not visible yet. What
 * comes both ways is known by its data centre and time.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
