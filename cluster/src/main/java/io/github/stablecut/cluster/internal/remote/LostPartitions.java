package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.internal.replica.Configuration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Detects partitions that no replica can lead because a majority of their voters is on nodes that
 * are away: waiting does not help them.
 */
public final class LostPartitions {
  private LostPartitions() {}

  /**
   * Returns why nothing can be done about partitions while the cluster serves.
   *
   * @param configurations the configurations of the partitions in question, by number; partitions
   *     that have never had a leader are ignored
   * @param isAway whether a node, given by its name, is unreachable
   * @return empty if each of the partitions has a majority of voters on other nodes
   */
  public static Optional<String> refusal(
      Map<Integer, Configuration> configurations, Predicate<String> isAway) {
    List<Integer> lost = new ArrayList<>();
    Set<String> unreachable = new TreeSet<>();
    new TreeMap<>(configurations)
        .forEach(
            (number, configuration) -> {
              List<String> voters =
                  configuration.voters().stream()
                      .map(Configuration::nodeOf)
                      .filter(isAway)
                      .toList();
              if (configuration.epoch() > 0 && 2 * voters.size() >= configuration.voters().size()) {
                lost.add(number);
                unreachable.addAll(voters);
              }
            });
    return lost.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "no replica can lead the partitions %s, as their voters are on the nodes %s, which can't be reached: start these nodes with their directories. If they are lost permanently, stop all nodes, and build a store from the remaining directories (stablecut cluster recover DIR... --into NEW; --empty names the partitions without any data)"
                .formatted(lost, unreachable));
  }
}
