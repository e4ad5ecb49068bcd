/**
 * A small web framework for the project's pages. {@link io.github.stablecut.web.WebApp} combines
 * files, requests for JSON and server-sent events; {@link io.github.stablecut.web.WebServer} serves
 * it with the JDK's HTTP server; the files in {@code shared} give all pages one look. It serves
 * only the local machine by default, and uses memory for a fixed number of clients, however slow
 * they are. It knows no page, and only the exceptions of stores.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.web;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
