/**
 * The console: a page that shows a store at work, and its past. {@link
 * io.github.stablecut.console.StablecutConsole} serves it for an embedded store; a server carries
 * it on the port of its operators. What the page asks for is answered here, as JSON, from the
 * store's public API alone. Never changes anything, and shows of an object a part of limited size.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.console;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
