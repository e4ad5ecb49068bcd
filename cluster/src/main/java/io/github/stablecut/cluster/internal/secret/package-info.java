/**
 * The secret that the nodes of a cluster share (a file with a key, a certificate and a token), and
 * the key that authenticates session ids. Depends on neither sockets nor Akka. Called by nodes,
 * servers and commands.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.secret;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
