/**
 * What pages share: applications of files, requests for JSON and server-sent events ({@link
 * io.github.stablecut.web.WebApp}), a small web server on the JDK's own HTTP server ({@link
 * io.github.stablecut.web.WebServer}), and the look of all pages (the files in {@code shared}).
 * Serves the machine that it runs on unless it is told otherwise, and holds memory for a fixed
 * number of clients however slow they are. Knows nothing of any page, and of stores their
 * exceptions only.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.web;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
