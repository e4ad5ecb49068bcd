/**
 * Benchmarks. Each compares the store with a well-known alternative in one interleaved run, and
 * prints CSV with a line about the machine. Only ratios within a run are meaningful.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.bench;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
