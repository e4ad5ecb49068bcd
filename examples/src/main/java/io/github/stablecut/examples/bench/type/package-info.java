/** Operations of data types beside Akka Distributed Data. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.bench.type;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
