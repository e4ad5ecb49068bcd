/** Test support for pages: an HTTP client and a browser. Not in users' jars. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.web.testing;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
