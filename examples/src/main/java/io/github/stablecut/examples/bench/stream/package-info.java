/** The figures of the vCorfu paper: streams, compositions and snapshots. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.bench.stream;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
