package io.github.stablecut.internal.replica;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who leads a partition, and whose votes count, as the register says. Immutable.
 *
 * <p>A copy is named after its node. One that began with an empty directory although the node had a
 * copy before has a name of its own, {@code n1~4f09a2c1}: it does not know what the other one has
 * promised.
 *
 * @param epoch from 1; 0 before the first layout
 * @param leader the leader of the epoch; empty before the first layout
 * @param voters the copies of which a majority decides, in the order in which they are preferred as
 *     leaders
 */
public record Configuration(long epoch, String leader, List<String> voters) {
  /** No part of a node's name. */
  private static final char MARK = '~';

  /** Copies the list, and checks it. */
  public Configuration {
    voters = List.copyOf(voters);
    if (epoch < 0 || voters.isEmpty() || (epoch > 0 && !voters.contains(leader))) {
      throw new IllegalArgumentException(
          "not a layout: epoch %d, leader \"%s\", voters %s".formatted(epoch, leader, voters));
    }
  }

  /** The layout of a partition that nobody has led yet. */
  public static Configuration first(List<String> voters) {
    return new Configuration(0, "", voters);
  }

  /** The next one, in which a voter leads. */
  public Configuration ledBy(String next) {
    return new Configuration(epoch + 1, next, voters);
  }

  /**
   * The next one of a partition that was led, which changes nothing: what was asked for before as
   * the next one does not come into force any more.
   */
  public Configuration again() {
    return ledBy(leader);
  }

  /** The next one, without a voter. */
  Configuration without(String voter) {
    return new Configuration(
        epoch + 1, leader, voters.stream().filter(one -> !one.equals(voter)).toList());
  }

  /** The next one, with one more voter. */
  Configuration with(String learner) {
    List<String> more = new ArrayList<>(voters);
    more.add(learner);
    return new Configuration(epoch + 1, leader, more);
  }

  /** The node that a copy is on. */
  public static String nodeOf(String replica) {
    int end = replica.indexOf(MARK);
    return end < 0 ? replica : replica.substring(0, end);
  }

  /** The name of a copy that begins anew on a node. */
  public static String renewed(String node, long random) {
    return "%s%c%08x".formatted(node, MARK, (int) random);
  }

  /**
   * Whether voters with logs that end so are enough to know of all that is committed: a majority of
   * the voters have lost nothing, or all voters are among them. In the latter case something is
   * only missing if all of a majority have lost it.
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

  /** Whether copies are more than half of the voters. */
  public boolean isMajority(Collection<String> replicas) {
    return voters.stream().filter(replicas::contains).count() * 2 > voters.size();
  }
}
