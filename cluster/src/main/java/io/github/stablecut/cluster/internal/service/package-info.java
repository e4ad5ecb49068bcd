/**
 * Executes the requests of clients: transactions and their limits, reads and updates on a {@link
 * io.github.stablecut.Store}, errors as answers, and the order of a connection's requests.
 * Independent of sockets. Called by the network and by the admin port.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
