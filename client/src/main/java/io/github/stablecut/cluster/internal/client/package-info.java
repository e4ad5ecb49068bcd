/**
 * A {@link io.github.stablecut.Store} that lies on a server or a cluster. Blocking sockets, and one
 * thread for each store, which says what is still needed. Called by {@code Stablecut.connect}.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
