/**
 * {@code gitlog}: the history of a git repository in a store, one transaction per commit, and what
 * it was as of any commit.
 *
 * <pre>
 *   LogSource → CommitReader → Importer → store → TopReport → tables or JSON
 *   git or file   a Commit      pipeline
 * </pre>
 *
 * <p>{@link io.github.stablecut.examples.gitlog.Schema} names the objects, {@link
 * io.github.stablecut.examples.gitlog.CommitTokens} keeps the token of each commit. The only user
 * of Jackson and of the program {@code git}. Called by the command line alone.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.gitlog;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
