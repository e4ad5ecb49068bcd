package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.crdt.Bytes;

/**
 * A request of another node. Immutable.
 *
 * @param epoch the partition's epoch as the sender knows it: the receiver rejects any other; 0 if
 *     the request is for the node, whether or not it owns the partition
 * @param number unique among the sender's requests
 * @param clock the sender's clock
 * @param from where the reply goes
 * @param request an encoded {@link io.github.stablecut.cluster.internal.wire.Request}
 */
public record RequestEnvelope(
    int partition, long epoch, long number, long clock, Requester from, Bytes request) {}
