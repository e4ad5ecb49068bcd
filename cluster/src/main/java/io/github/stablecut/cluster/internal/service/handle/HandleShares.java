package io.github.stablecut.cluster.internal.service.handle;

import io.github.stablecut.cluster.internal.call.Call;
import java.time.Duration;

/**
 * One client's maximum share of the places for each kind of handle, and how long handles of closed
 * connections are kept. Immutable.
 *
 * @param connection the percentage for one connection, 1 to 100
 * @param address the percentage for all connections from one address, 1 to 100
 * @param user the percentage for all connections of one user, 1 to 100
 * @param disconnected how long a handle is kept after the closing of the connection that used it
 *     last
 */
public record HandleShares(int connection, int address, int user, Duration disconnected) {
  /**
   * The time after which the handles of a closed connection may be reclaimed. A connected client
   * may close the connection that renewed its handles last; within the renewal interval, plus the
   * time of a call, it renews them on another one.
   */
  static final Duration RECLAIMABLE_AFTER = Call.Renew.INTERVAL.plusSeconds(2);
}
