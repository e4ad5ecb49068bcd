/** Operations of data types compared with Akka Distributed Data. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.bench.type;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
