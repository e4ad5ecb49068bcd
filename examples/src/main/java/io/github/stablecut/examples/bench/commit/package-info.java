/**
 * Commits per second of the store, of a raw log and of other stores: what the benchmarks of commits
 * and records run.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.bench.commit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
