/**
 * Sockets: frames in and out, connections and their limits, TLS, and a small HTTP server. With
 * {@code link} the only user of Netty. Knows neither stores nor messages; hands frames to sessions,
 * and HTTP requests to functions. Called by {@link io.github.stablecut.cluster.Server}.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.network;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
