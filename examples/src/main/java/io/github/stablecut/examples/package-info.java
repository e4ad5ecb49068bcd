/**
 * The entry point of the example applications, each of which has its own package. {@link
 * io.github.stablecut.examples.Examples} finds the application by name. {@link
 * io.github.stablecut.cluster.command.CommandRunner} runs a command so that users see messages, not
 * stack traces, for problems that they can fix. Contains nothing of any application.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
