/**
 * Histories of clients' transactions and their checkers. A history has one line of JSON per
 * transaction, and the rules are checked from these lines alone, without access to a store. Used by
 * benchmarks and tests.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.testing.history;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
