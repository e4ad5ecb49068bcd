/**
 * Test support for applications: {@link io.github.stablecut.junit.StoreExtension} gives each test
 * its own store, whose clock the test sets and whose power it can cut. For test class paths only.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.junit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
