package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.internal.transaction.routing.Routing;
import io.github.stablecut.key.Key;
import java.util.List;
import java.util.Optional;

/**
 * The owners of the partitions, as a server reported them. Only a hint: a server forwards requests
 * for objects that it does not own. Immutable.
 */
final class Owners {
  static final Owners UNKNOWN = new Owners(0, List.of());

  private final Routing routing;
  private final List<Optional<ServerPool>> byPartition;

  /**
   * @param seed of the routing function
   * @param byPartition the server of each partition; empty if one server has all
   */
  Owners(long seed, List<Optional<ServerPool>> byPartition) {
    this.routing = new Routing(seed, Math.max(1, byPartition.size()));
    this.byPartition = List.copyOf(byPartition);
  }

  /** The server that owns all given objects; empty if they are on several partitions. */
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
