/** Lists and texts: replicated growable arrays. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.sequence;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
