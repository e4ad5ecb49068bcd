/**
 * What the tests of applications need: {@link io.github.stablecut.junit.StoreExtension} gives each
 * test a store of its own, whose clock the test sets and whose power it cuts. For class paths of
 * tests only.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.junit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
