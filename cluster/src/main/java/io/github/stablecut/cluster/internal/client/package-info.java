/**
 * The other end of the protocol: a {@link io.github.stablecut.Store} that lies on a server.
 * Blocking sockets, no threads of its own. Called by {@code Stablecut.connect}.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
