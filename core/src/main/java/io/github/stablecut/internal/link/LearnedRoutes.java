package io.github.stablecut.internal.link;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Which connection leads to the node of another data centre that has a partition: that over which a
 * message about it has come last, as a switch learns where addresses are. A partition that has
 * moved asks for its streams from its new node, and so is found there. What is sent to another node
 * meanwhile is lost. Thread-safe.
 */
final class LearnedRoutes {
  /** A partition of which nothing was heard for so long may have moved. */
  private static final long FORGOTTEN_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Map<Counterpart, Route> routes = new ConcurrentHashMap<>();

  private record Counterpart(int dataCentre, int partition) {}

  private record Route(Link link, long heardAt) {}

  /** Something about a partition has come. */
  void learn(int dataCentre, int partition, Link link, long now) {
    if (partition != Link.NO_PARTITION) {
      var unused = routes.put(new Counterpart(dataCentre, partition), new Route(link, now));
    }
  }

  /** Where a partition was heard of last; empty if it was not, or is silent. */
  Optional<Link> find(int dataCentre, int partition, long now) {
    Route route = routes.get(new Counterpart(dataCentre, partition));
    return route == null || now - route.heardAt > FORGOTTEN_NANOS
        ? Optional.empty()
        : Optional.of(route.link);
  }

  /** A connection has ended. */
  void forget(Link link) {
    var unused = routes.values().removeIf(route -> route.link == link);
  }
}
