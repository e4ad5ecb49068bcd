/**
 * {@code gitlog}: the history of a git repository in a store, one transaction per commit, queryable
 * as of any commit.
 *
 * <pre>
 *   LogSource → CommitReader → Importer → store → TopReport → tables or JSON
 *   git or file   a Commit      pipeline
 * </pre>
 *
 * <p>{@link io.github.stablecut.examples.gitlog.Schema} has the keys of the objects; {@link
 * io.github.stablecut.examples.gitlog.CommitTokens} stores the token of each commit. The only user
 * of Jackson and of the program {@code git}. Called only by the command line.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.gitlog;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
