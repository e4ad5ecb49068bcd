/**
 * The console: a page that shows a store at work and its past. {@link
 * io.github.stablecut.console.StablecutConsole} serves it for an embedded store; a server serves it
 * on its admin port. This package answers the page's requests with JSON, using only the store's
 * public API. It changes nothing and shows a limited part of each object.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.console;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
