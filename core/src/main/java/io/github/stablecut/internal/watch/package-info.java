/**
 * Watches: the delivery of commits in the order of commit times. Each partition's commits are read
 * from its journal and as they become durable, and merged over the partitions; commits of other
 * data centres are delivered once they are visible. The package calls partitions only through
 * {@link io.github.stablecut.internal.watch.CommitSource}. It never blocks committers and never
 * retains past commits.
 *
 * <p>The path of a commit: {@code Committer} adds a reference to the {@link
 * io.github.stablecut.internal.watch.CommitFeed} of its partition before the stable vector reaches
 * it. The thread {@code watch-dispatch} ({@link
 * io.github.stablecut.internal.watch.WatchDispatcher}) takes it, holds it in the {@link
 * io.github.stablecut.internal.watch.CommitMerger} until the stable vectors of all partitions have
 * reached it, and puts it into the buffer of each watch that wants it.
 *
 * <p>Invariant: there is no gap between past and present. A watch's buffer first joins the present,
 * which yields a point after which the buffer receives all own commits. Only then does the watch
 * read the journals to that point and to their ends, which may contain commits of other data
 * centres that are not visible yet. Commits that arrive both ways are deduplicated by data centre
 * and time.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
