/**
 * The ring: the partitions of a store on the nodes of a cluster, each owned by the node that has
 * its directory. One sharded entity of Akka per partition brings requests to it; actors only
 * translate. The only user of Akka.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.ring;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
