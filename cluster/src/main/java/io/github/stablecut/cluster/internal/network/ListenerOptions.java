package io.github.stablecut.cluster.internal.network;

import java.time.Duration;

/**
 * Limits of the protocol's connections.
 *
 * @param maxConnections maximum number of connections
 * @param idle closes a connection that has been silent for this long
 * @param request closes a connection whose request is incomplete for this long
 * @param stall closes a connection if, for this long, no 64 KiB of a large request arrive or the
 *     client takes nothing of an answer
 * @param maxRequestBytes maximum size of a request
 * @param largeRequestBytes the memory that large requests share
 * @param unsentBytes the memory for large answers that clients have not taken yet
 */
public record ListenerOptions(
    int maxConnections,
    Duration idle,
    Duration request,
    Duration stall,
    long maxRequestBytes,
    long largeRequestBytes,
    long unsentBytes) {}
