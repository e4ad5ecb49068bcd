/**
 * What applications show on a terminal: what it can show, tables, and a progress bar. Knows nothing
 * of stores. Called by every application.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.terminal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
