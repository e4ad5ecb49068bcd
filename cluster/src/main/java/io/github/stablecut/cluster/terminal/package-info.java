/**
 * Terminal output of commands: the capabilities of the terminal, tables, and a progress bar.
 * Independent of stores. Called by every command.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.terminal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
