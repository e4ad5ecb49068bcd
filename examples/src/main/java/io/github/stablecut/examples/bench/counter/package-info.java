/** Counters in memory: the store, a raw log with a map, and RocksDB. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.bench.counter;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
