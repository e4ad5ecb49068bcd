package io.github.stablecut.internal.link;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Routes messages to the node of another data centre that owns a partition: over the connection by
 * which the partition's last message arrived, as a network switch learns addresses. After a move,
 * the partition requests its streams from its new node, which updates the route. Messages sent to
 * the previous node are lost. Thread-safe.
 */
final class LearnedRoutes {
  /** The time for which a route is valid without messages; a silent partition may have moved. */
  private static final long EXPIRY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Map<Peer, Route> routes = new ConcurrentHashMap<>();

  private record Peer(int dataCentre, int partition) {}

  private record Route(Link link, long heardAtNanos) {}

  /** Records that a message of a partition arrived over a link. */
  void learn(int dataCentre, int partition, Link link, long nowNanos) {
    if (partition != Link.NO_PARTITION) {
      routes.put(new Peer(dataCentre, partition), new Route(link, nowNanos));
    }
  }

  /** Returns the link of a partition's last message; empty if there was none or it is too old. */
  Optional<Link> find(int dataCentre, int partition, long nowNanos) {
    Route route = routes.get(new Peer(dataCentre, partition));
    return route == null || nowNanos - route.heardAtNanos > EXPIRY_NANOS
        ? Optional.empty()
        : Optional.of(route.link);
  }

  /** Removes the routes over a link that has ended. */
  void forget(Link link) {
    routes.values().removeIf(route -> route.link == link);
  }
}
