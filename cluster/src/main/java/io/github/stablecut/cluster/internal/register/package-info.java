/**
 * The configuration register, in which the nodes of a cluster agree on the configurations of all
 * partitions: one Raft group of Apache Ratis, on the first nodes of the plan. The only user of
 * Ratis. A {@link io.github.stablecut.cluster.internal.register.RegisterChannel} carries its
 * messages as bytes.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.register;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
