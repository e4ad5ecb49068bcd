package io.github.stablecut.cluster.internal.network;

import java.time.Duration;

/**
 * How connections of the protocol are treated.
 *
 * @param maxConnections how many there may be
 * @param idle after so long without a byte one is closed
 * @param maxRequestBytes how large a request may be
 * @param largeRequestBytes how much memory large requests may take together
 */
public record ListenerOptions(
    int maxConnections, Duration idle, long maxRequestBytes, long largeRequestBytes) {}
