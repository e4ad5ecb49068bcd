/** Replicas of partitions, and replication between data centres. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.bench.replica;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
