/**
 * The root of the project's exceptions and its five groups, one per reaction of a caller: correct
 * the call ({@link io.github.stablecut.error.UsageException}), retry ({@link
 * io.github.stablecut.error.RetryException}), find out the outcome ({@link
 * io.github.stablecut.error.OutcomeUnknownException}), reopen the store ({@link
 * io.github.stablecut.error.ReopenException}), or stop and examine the data ({@link
 * io.github.stablecut.error.DamageException}). The package contains all exceptions for users of a
 * store, except those with a type of another package, such as {@code WatchOverflowException}.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.error;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
