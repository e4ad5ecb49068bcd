/**
 * The command line: a class for each command of {@code stablecut}, and the mapping of outcomes to
 * exit codes. Depends on the public API of servers and stores. Called by scripts, and by the
 * examples' commands.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.command;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
