package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.internal.transaction.Routing;
import io.github.stablecut.key.Key;
import java.util.List;
import java.util.Optional;

/**
 * Which server has which objects, as one of them has said: a hint, because a server that is asked
 * for what it does not have asks the one that has it. Immutable.
 */
final class Owners {
  static final Owners UNKNOWN = new Owners(0, List.of());

  private final Routing routing;
  private final List<Optional<ServerPool>> byPartition;

  /**
   * @param seed of the routing
   * @param byPartition the server of each partition; none if all are the same
   */
  Owners(long seed, List<Optional<ServerPool>> byPartition) {
    this.routing = new Routing(seed, Math.max(1, byPartition.size()));
    this.byPartition = List.copyOf(byPartition);
  }

  /** The server that has objects, if all are on one partition. */
  Optional<ServerPool> of(List<Key<?>> objects) {
    if (objects.isEmpty() || byPartition.isEmpty()) {
      return Optional.empty();
    }
    int partition = routing.partition(objects.get(0).id());
    for (Key<?> object : objects) {
      if (routing.partition(object.id()) != partition) {
        return Optional.empty();
      }
    }
    return byPartition.get(partition);
  }
}
