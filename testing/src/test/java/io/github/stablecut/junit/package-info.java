/** Tests of what the tests of applications use. */
@NullMarked
package io.github.stablecut.junit;

import org.jspecify.annotations.NullMarked;
