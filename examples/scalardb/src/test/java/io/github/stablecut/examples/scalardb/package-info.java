/** ScalarDB's own integration test suites, unchanged, on Stablecut. */
@NullMarked
package io.github.stablecut.examples.scalardb;

import org.jspecify.annotations.NullMarked;
