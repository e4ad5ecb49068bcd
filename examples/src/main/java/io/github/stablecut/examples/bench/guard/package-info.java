/** Comparison of the store with that of an earlier commit: what {@code bench guard} runs. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.bench.guard;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
