package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.VectorClock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far the nodes of a cluster have come, as far as this client has heard: so that whichever it
 * asks next has what another one has acknowledged to it before. Thread-safe.
 */
final class ReachedPoint {
  @GuardedBy("this")
  private final Map<ServerPool, VectorClock> byServer = new HashMap<>();

  @GuardedBy("this")
  private @Nullable CausalToken seen;

  /** A server has come to a point. One of another store says that the store was exchanged. */
  synchronized void add(ServerPool server, CausalToken point) {
    CausalToken before = seen;
    if (before == null || before.storeId() != point.storeId()) {
      byServer.clear();
      seen = point;
    } else {
      seen =
          new CausalToken(point.storeId(), point.opening(), before.vector().join(point.vector()));
    }
    var unused = byServer.merge(server, point.vector(), VectorClock::join);
  }

  /** What a server may not have come to yet; empty if it has come to all. */
  synchronized Optional<CausalToken> missing(ServerPool server) {
    CausalToken all = seen;
    return all == null || all.vector().isAtOrBefore(byServer.getOrDefault(server, VectorClock.ZERO))
        ? Optional.empty()
        : Optional.of(all);
  }
}
