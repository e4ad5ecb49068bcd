/**
 * {@code examples/run write}: a page with a text that people in two data centres edit concurrently.
 * Each browser window is a separate author. An edit is a transaction at the snapshot that the
 * window shows, so positions mean what the author has seen, and concurrent edits merge.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.write;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
