/**
 * YCSB's workloads A to F on a composed map and on RocksDB, in one run. The only user of YCSB; no
 * other package depends on this one.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.ycsb;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
