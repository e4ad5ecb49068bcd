/**
 * The root of every exception of this project and its five groups, one for each thing a caller can
 * do: mend the call ({@link io.github.stablecut.error.UsageException}), try again ({@link
 * io.github.stablecut.error.RetryException}), find out what became of it ({@link
 * io.github.stablecut.error.OutcomeUnknownException}), reopen the store ({@link
 * io.github.stablecut.error.ReopenException}), or stop and look at the data ({@link
 * io.github.stablecut.error.DamageException}). All exceptions that a user of a store meets are
 * here, but for those that carry a type of another package, such as {@code WatchOverflowException}.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.error;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
