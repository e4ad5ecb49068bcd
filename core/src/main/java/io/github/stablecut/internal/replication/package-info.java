/**
 * Replication between data centres: each partition requests streams from its peers and sends them
 * streams.
 *
 * <p>The receiver pulls: it sends a provider its position in a stream and its credit ({@link
 * io.github.stablecut.internal.replication.ReplicationMessage.StreamRequest}), and receives parts
 * of the stream as they become durable ({@link
 * io.github.stablecut.internal.replication.ReplicationMessage.StreamPart}). The provider is the
 * data centre that committed the transactions or, while it is silent, another one that has more of
 * them. All messages may be lost, repeated, delayed and reordered: missing parts are requested
 * again.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.replication;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
