/**
 * The replicas of a partition: leader, followers, and the messages between them (decision 20).
 * State machines without threads, sockets or clocks; their host passes in messages and the time.
 *
 * <p>{@link io.github.stablecut.internal.replica.Replica} is one replica. {@link
 * io.github.stablecut.internal.replica.LogReplicator} is the part that only a leader has, and that
 * its journal waits for. The package treats records as bytes, and knows neither transactions nor
 * nodes.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.replica;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
