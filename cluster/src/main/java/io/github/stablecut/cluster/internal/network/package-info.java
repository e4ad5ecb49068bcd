/**
 * Sockets: frames, connections and their limits, TLS, and a small HTTP server. Besides {@code
 * link}, the only user of Netty. Independent of stores and messages: passes frames to sessions and
 * HTTP requests to handlers. Called by {@link io.github.stablecut.cluster.Server}.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.network;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
