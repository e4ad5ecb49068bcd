/**
 * Commits within a partition: what a transaction wants to write, certification, the order of
 * commits, the records that wait for a flush, and the stable time. The partition's state is the
 * result of applying its log.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.partition.commit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
