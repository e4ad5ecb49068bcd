/**
 * Keys of objects, one class per data type. {@link io.github.stablecut.key.Key} creates them all.
 * The methods of a key create {@link io.github.stablecut.key.Update}s and {@link
 * io.github.stablecut.key.Query queries} of its type.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.key;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
