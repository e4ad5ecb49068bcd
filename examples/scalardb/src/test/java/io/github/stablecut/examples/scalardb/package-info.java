/** ScalarDB's own suites of integration tests, unchanged, over Stablecut. */
@NullMarked
package io.github.stablecut.examples.scalardb;

import org.jspecify.annotations.NullMarked;
