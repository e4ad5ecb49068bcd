/** The messages between nodes as values, and their encoding. Independent of the transport. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.wire;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
