/**
 * The secret that the nodes of a cluster share: a file with a key, a certificate and a token; and
 * the key by which servers recognize what they have issued. Knows no sockets and no Akka. Called by
 * nodes, servers and the commands that give orders to them.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.secret;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
