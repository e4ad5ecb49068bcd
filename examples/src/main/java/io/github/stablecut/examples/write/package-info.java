/**
 * {@code examples/run write}: a text that people in two data centres write at the same time, on a
 * page. Each window of a browser is an author of its own. What an author does is a transaction at
 * the snapshot that the window shows, so positions mean what the author has seen, and texts that
 * were written at the same time merge.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.write;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
