/**
 * The names of objects, one class per data type: {@link io.github.stablecut.key.Key} makes them
 * all, and each has the operations of its type, which make {@link io.github.stablecut.key.Update}s.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.key;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
