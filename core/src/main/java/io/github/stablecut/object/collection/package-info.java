/**
 * Shared collections: lists, maps and trees as objects whose operations are in a stream, and larger
 * ones composed of many objects.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.object.collection;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
