/**
 * The remote implementation of {@link io.github.stablecut.Store}, which talks to a server or a
 * cluster. It uses blocking sockets and one thread per store that renews handles. Entry point:
 * {@code Stablecut.connect}.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
