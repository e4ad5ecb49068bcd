package io.github.stablecut.internal.replica;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The leader and the voters of a partition, as the configuration register has them. Immutable.
 *
 * <p>A replica is named after its node. A replica that starts with an empty directory on a node
 * that already had one gets a distinct name, such as {@code n1~4f09a2c1}: it does not know what the
 * earlier replica voted for.
 *
 * @param epoch from 1; 0 before the first configuration
 * @param leader the leader of the epoch; empty before the first configuration
 * @param voters the replicas of which a majority decides, the preferred leaders first
 */
public record Configuration(long epoch, String leader, List<String> voters) {
  /** Separates the node's name from the suffix; node names don't contain it. */
  private static final char MARK = '~';

  /** Copies the list and validates the configuration. */
  public Configuration {
    voters = List.copyOf(voters);
    if (epoch < 0 || voters.isEmpty() || (epoch > 0 && !voters.contains(leader))) {
      throw new IllegalArgumentException(
          "invalid configuration: epoch %d, leader \"%s\", voters %s"
              .formatted(epoch, leader, voters));
    }
  }

  /** The configuration of a partition that has had no leader yet. */
  public static Configuration first(List<String> voters) {
    return new Configuration(0, "", voters);
  }

  /** The next configuration, led by the given voter. */
  public Configuration ledBy(String next) {
    return new Configuration(epoch + 1, next, voters);
  }

  /**
   * The next configuration, with the same leader and voters. It invalidates requests in flight that
   * would replace the current configuration.
   */
  public Configuration withNextEpoch() {
    return ledBy(leader);
  }

  /** The next configuration, without the given voter. */
  Configuration without(String voter) {
    return new Configuration(
        epoch + 1, leader, voters.stream().filter(one -> !one.equals(voter)).toList());
  }

  /** The next configuration, with the given learner as an additional voter. */
  Configuration with(String learner) {
    List<String> more = new ArrayList<>(voters);
    more.add(learner);
    return new Configuration(epoch + 1, leader, more);
  }

  /** The node that hosts a replica. */
  public static String nodeOf(String replica) {
    int end = replica.indexOf(MARK);
    return end < 0 ? replica : replica.substring(0, end);
  }

  /** A name for a replica that starts with an empty directory on a node that already had one. */
  public static String renewedName(String node, long random) {
    return "%s%c%08x".formatted(node, MARK, (int) random);
  }

  /**
   * Whether the logs of these voters are certain to include every committed record: a majority of
   * the voters have lost nothing, or all voters are present. With all voters, a committed record is
   * missing only if an entire majority has lost it.
   */
  boolean isEnough(Map<String, LogEnd> ends) {
    Set<String> whole = new HashSet<>();
    ends.forEach(
        (voter, end) -> {
          if (!end.isShortened()) {
            whole.add(voter);
          }
        });
    return isMajority(whole) || ends.keySet().containsAll(voters);
  }

  /** Whether these replicas include more than half of the voters. */
  public boolean isMajority(Collection<String> replicas) {
    return voters.stream().filter(replicas::contains).count() * 2 > voters.size();
  }
}
