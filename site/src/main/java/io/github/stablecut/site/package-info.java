/**
 * Builds the site, with an HTML page per document, and checks all links. Run by {@code mvn -Psite
 * package}; no other module depends on it, and it is independent of the store.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.site;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
