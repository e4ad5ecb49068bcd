package io.github.stablecut.cluster.internal.service;

import java.time.Duration;

/**
 * How many transactions clients may have open, and for how long.
 *
 * @param perConnection how many those may be that one connection began
 * @param all how many all may be
 * @param idle how long one may stay without a request before it is aborted
 */
public record TransactionLimits(int perConnection, int all, Duration idle) {}
