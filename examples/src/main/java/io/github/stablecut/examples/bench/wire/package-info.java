/** Clients of a server beside plain Netty. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.bench.wire;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
