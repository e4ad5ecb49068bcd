/**
 * The node as actors: its port, its part in Akka's cluster, the sharded entities of partitions, and
 * the serializer. The only user of Akka; actors translate and decide nothing about partitions.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.akka;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
