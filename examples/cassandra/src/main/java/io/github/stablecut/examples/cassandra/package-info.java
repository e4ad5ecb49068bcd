/**
 * Apache Cassandra in a process of its own, which a benchmark in another process has run rounds of
 * reads and conditional updates. The only package that knows Cassandra; nobody calls it.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.cassandra;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
