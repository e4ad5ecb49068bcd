/**
 * What commands show on a terminal: what it can show, tables, and a progress bar. Knows nothing of
 * stores. Called by every command.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.terminal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
