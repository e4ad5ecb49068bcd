/**
 * Commands that serve the page of an example application on {@link
 * io.github.stablecut.web.WebServer}. Independent of any application.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.web;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
