/**
 * The command line: {@code ./stablecut serve} and {@code status}, and how a command becomes an exit
 * code. Knows the service's public side only. Called by scripts, and by the examples' commands.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.command;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
