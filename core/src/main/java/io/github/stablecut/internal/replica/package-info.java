/**
 * The copies of a partition: who leads, who follows, and what they send each other (decision 20).
 * State machines without threads, sockets and clocks: whoever runs them hands over messages and the
 * time. {@link io.github.stablecut.internal.replica.Replica} is one copy, {@link
 * io.github.stablecut.internal.replica.LogReplicator} what only a leader has, which its journal
 * waits for. It knows records as bytes, and neither transactions nor nodes.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.replica;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
