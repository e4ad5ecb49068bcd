/**
 * What a program meets that uses the store of a server by {@link
 * io.github.stablecut.Stablecut#connect}: the exceptions that embedded stores don't throw. The
 * client itself is internal.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.client;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
