/** Clients of a server compared with plain Netty. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.bench.wire;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
