/** Maps from keys to nested objects or to counters. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.map;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
