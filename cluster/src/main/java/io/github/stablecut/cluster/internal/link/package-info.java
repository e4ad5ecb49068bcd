/**
 * Direct connections between nodes, for requests that change nothing and for log replication:
 * sockets, TLS, the handshake, and their life cycle. Besides {@code network}, the only user of
 * Netty.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.link;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
