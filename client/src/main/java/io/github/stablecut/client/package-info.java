/**
 * The exceptions that stores of a server throw in addition to those of embedded stores. Programs
 * connect with {@link io.github.stablecut.Stablecut#connect}; the client itself is internal.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.client;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
