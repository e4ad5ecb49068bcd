/**
 * Support for running ScalarDB's own suites on Stablecut; published with the classifier testing.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.scalardb.testing;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
