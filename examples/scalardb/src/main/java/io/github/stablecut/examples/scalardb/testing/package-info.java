/** What ScalarDB's own suites need to run on Stablecut; published with the classifier testing. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.scalardb.testing;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
