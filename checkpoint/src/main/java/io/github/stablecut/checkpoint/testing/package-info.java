/**
 * A disk in memory that loses what a real one may lose, for tests. Packaged in the artifact with
 * the classifier {@code testing}, not in the module's own.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.checkpoint.testing;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
