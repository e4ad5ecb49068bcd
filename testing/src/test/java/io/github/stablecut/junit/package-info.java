/** Tests of the test support for applications. */
@NullMarked
package io.github.stablecut.junit;

import org.jspecify.annotations.NullMarked;
