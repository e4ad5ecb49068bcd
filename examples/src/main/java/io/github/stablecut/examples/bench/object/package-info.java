/** Objects on disk: the store and RocksDB. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.bench.object;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
