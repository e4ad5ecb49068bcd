/**
 * What clients did and saw, for checkers: one line of JSON per transaction, and rules that can be
 * judged from such lines alone. It never looks into a store. Used by benchmarks and tests.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.testing.history;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
