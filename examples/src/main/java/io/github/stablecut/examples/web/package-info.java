/**
 * What the pages of the example applications share: a small web server on the JDK's own HTTP server
 * ({@link io.github.stablecut.examples.web.WebServer}), requests for JSON, server-sent events, and
 * the look of all pages (the files in {@code shared}). Serves the machine that it runs on unless it
 * is told otherwise, and holds memory for a fixed number of clients however slow they are. Knows
 * nothing of any application, and of stores their exceptions only.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.web;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
