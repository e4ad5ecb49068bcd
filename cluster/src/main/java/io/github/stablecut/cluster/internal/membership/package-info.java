/**
 * Cluster membership: admission and removal of nodes, formation of the cluster, and ownership of
 * partitions. Independent of Akka and of the wire format.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.membership;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
