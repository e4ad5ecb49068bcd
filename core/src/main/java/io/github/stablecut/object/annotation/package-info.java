/**
 * Annotations that map the methods of an interface to operations of an object ({@link
 * io.github.stablecut.object}).
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.object.annotation;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
