/**
 * The register of the layouts of all partitions, on which the nodes of a cluster agree: one Raft
 * group of Apache Ratis, on the first nodes of the plan. The only user of Ratis. Its messages are
 * bytes, which a {@link io.github.stablecut.cluster.internal.register.RegisterChannel} carries.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.register;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
