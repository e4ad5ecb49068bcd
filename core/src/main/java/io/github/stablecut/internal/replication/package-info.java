/**
 * Replication between data centres: which streams a partition asks its counterparts for, and what
 * it sends them.
 *
 * <p>The receiver pulls: it tells whom it asks what it has of a stream and how much may be on its
 * way ({@link io.github.stablecut.internal.replication.ReplicationMessage.Want}), and gets parts of
 * it as they become durable ({@link
 * io.github.stablecut.internal.replication.ReplicationMessage.Part}). It asks the data centre that
 * has committed the transactions or, while that is silent, another one that has more of them. All
 * messages may be lost, repeated, delayed and reordered: whatever is missing is asked for again.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.replication;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
