/**
 * The command line: a class for each command of {@code stablecut}, and how a command becomes an
 * exit code. Knows the public sides of the service and of stores. Called by scripts, and by the
 * examples' commands.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.command;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
