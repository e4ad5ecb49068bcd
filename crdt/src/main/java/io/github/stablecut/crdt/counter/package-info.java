/**
 * Counters: of any sign ({@link PnCounter}), one that can be reset ({@link FatCounter}), and one
 * that never exceeds its bound ({@link BoundedCounter}).
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.counter;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
