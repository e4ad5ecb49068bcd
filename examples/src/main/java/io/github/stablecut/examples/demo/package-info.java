/**
 * {@code ./stablecut demo}: the API's story, told by calls whose source is shown, and a trial in
 * which a child JVM is killed under load. Holds nothing that another application needs. Called by
 * the command line.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.demo;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
