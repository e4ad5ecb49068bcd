package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.call.Call;
import java.time.Duration;

/**
 * The shares that one client may take of the places for each kind of handle, and how long handles
 * of closed connections are kept. Immutable.
 *
 * @param connection the percentage for one connection, 1 to 100
 * @param address the percentage for all connections from one address, 1 to 100
 * @param user the percentage for all connections of one user, 1 to 100
 * @param disconnected how long a handle is kept after the connection was closed that has used it
 *     last
 */
public record HandleShares(int connection, int address, int user, Duration disconnected) {
  /**
   * How long a connection must have been closed before its handles give way to others. A connected
   * client may close the connection that has renewed its handles last, and renews them on another
   * one: that takes the renewal interval, and some time for the call.
   */
  static final Duration RECLAIMABLE_AFTER = Call.Renew.INTERVAL.plusSeconds(2);
}
