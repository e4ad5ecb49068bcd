/**
 * {@code ./stablecut demo}: a demo of the API that shows the source of its calls, and a trial that
 * kills a child JVM under load. Contains nothing that another application needs. Called by the
 * command line.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.demo;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
