/** Streams: entries in the order of their commits, and the views folded from them. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.stream;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
