/**
 * The root of every exception of this project and its five groups, one for each thing a caller can
 * do: mend the call ({@link io.github.stablecut.error.UsageException}), try again ({@link
 * io.github.stablecut.error.RetryException}), find out what became of it ({@link
 * io.github.stablecut.error.OutcomeUnknownException}), reopen the store ({@link
 * io.github.stablecut.error.ReopenException}), or stop and look at the data ({@link
 * io.github.stablecut.error.DamageException}). Concrete exceptions live beside the code that throws
 * them.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.error;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
