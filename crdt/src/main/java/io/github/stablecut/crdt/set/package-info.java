/** Sets, by what wins when an element is added and removed concurrently. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.set;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
