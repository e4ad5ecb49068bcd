/**
 * Makes the site: an HTML page of each document, and checks that all links lead somewhere. Run by
 * {@code mvn -Psite package}; nothing else of Stablecut uses it, and it knows nothing of the store.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.site;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
