package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.VectorClock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The points that the nodes of a cluster have acknowledged to this client. They ensure that the
 * next node the client asks has everything that another acknowledged to it. Thread-safe.
 */
final class ReachedPoint {
  @GuardedBy("this")
  private final Map<ServerPool, VectorClock> byServer = new HashMap<>();

  @GuardedBy("this")
  private @Nullable CausalToken seen;

  /** Records a point that a server has reached. A point of another store discards all others. */
  synchronized void add(ServerPool server, CausalToken point) {
    CausalToken before = seen;
    if (before == null || before.storeId() != point.storeId()) {
      byServer.clear();
      seen = point;
    } else {
      seen =
          new CausalToken(point.storeId(), point.opening(), before.vector().join(point.vector()));
    }
    byServer.merge(server, point.vector(), VectorClock::join);
  }

  /** The point that a server may not have reached yet; empty if it has reached all. */
  synchronized Optional<CausalToken> missing(ServerPool server) {
    CausalToken all = seen;
    return all == null || all.vector().isAtOrBefore(byServer.getOrDefault(server, VectorClock.ZERO))
        ? Optional.empty()
        : Optional.of(all);
  }
}
