/**
 * The Akka side of a node: its port, its membership of Akka's cluster, the sharded entities of
 * partitions, and the serializer. The only user of Akka. Actors only translate; they decide
 * nothing.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.akka;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
