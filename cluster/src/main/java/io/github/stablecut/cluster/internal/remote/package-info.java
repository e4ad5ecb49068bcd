/**
 * Partitions as a node uses them, on this node or another one: pending requests, the server that
 * answers them, replies, and flow control. Knows nothing of how partitions move or messages travel.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
