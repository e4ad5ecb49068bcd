package io.github.stablecut.cluster.internal.service.handle;

import io.github.stablecut.option.Certification;
import java.time.Duration;

/**
 * The limits of clients' interactive transactions; pins, scans and watches are limited likewise.
 *
 * @param perConnection maximum number begun by one connection
 * @param all maximum number of all clients
 * @param bytes maximum memory for the buffered updates of all transactions
 * @param idle how long a transaction may stay unused before it is aborted
 * @param shares the shares of one client
 * @param certification the certification of transactions whose client chooses none
 */
public record TransactionLimits(
    int perConnection,
    int all,
    long bytes,
    Duration idle,
    HandleShares shares,
    Certification certification) {
  /** Returns the interval at which idle and abandoned transactions are searched. */
  public Duration interval() {
    Duration shortest = idle.compareTo(shares.disconnected()) < 0 ? idle : shares.disconnected();
    return shortest.dividedBy(4);
  }
}
