/**
 * Benchmarks. Each compares the store with something that a reader knows, in one interleaved run,
 * and prints CSV with a line about the machine: only ratios within one run mean something.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.bench;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
