package io.github.stablecut.cluster.internal.network;

import java.time.Duration;

/**
 * How connections of the protocol are treated.
 *
 * @param maxConnections how many there may be
 * @param idle after so long without a byte one is closed
 * @param request after so long one is closed that has sent a part of a request only
 * @param stall after so long one is closed of whose large request no 64 KiB have come, or whose
 *     client has taken nothing of an answer
 * @param maxRequestBytes how large a request may be
 * @param largeRequestBytes how much memory large requests may take together
 * @param unsentBytes how much large answers may take together that clients have not taken
 */
public record ListenerOptions(
    int maxConnections,
    Duration idle,
    Duration request,
    Duration stall,
    long maxRequestBytes,
    long largeRequestBytes,
    long unsentBytes) {}
