package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.option.Certification;
import java.time.Duration;

/**
 * How many transactions clients may have open, for how long, and what makes their commits fail;
 * pins, scans and watches are limited likewise.
 *
 * @param perConnection how many those may be that one connection began
 * @param all how many all may be
 * @param bytes how much the updates of all may take in memory
 * @param idle how long one may stay without a request before it is aborted
 * @param shares of one client
 * @param certification of clients that don't say another one
 */
public record TransactionLimits(
    int perConnection,
    int all,
    long bytes,
    Duration idle,
    HandleShares shares,
    Certification certification) {
  /** How often idle and abandoned ones are looked for. */
  public Duration interval() {
    Duration shortest = idle.compareTo(shares.disconnected()) < 0 ? idle : shares.disconnected();
    return shortest.dividedBy(4);
  }
}
