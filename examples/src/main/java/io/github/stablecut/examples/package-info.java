/**
 * The way into the example applications, each in a package of its own: {@link
 * io.github.stablecut.examples.Examples} finds the application by its name, and {@link
 * io.github.stablecut.cluster.command.CommandRunner} runs a command so that a user sees messages
 * and never a stack trace for something that can be mended. Holds nothing of any application.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
