/**
 * Access to partitions on this node and other nodes: pending requests, the server that executes
 * them, replies, and flow control. Independent of handoffs and of the transport.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
