/**
 * Direct connections between nodes for requests that change nothing: sockets, TLS, the handshake,
 * and when they are made and ended. With {@code network} the only user of Netty.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.link;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
