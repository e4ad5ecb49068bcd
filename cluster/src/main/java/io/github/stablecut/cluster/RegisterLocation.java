package io.github.stablecut.cluster;

import java.util.List;

/**
 * The members of a cluster's configuration register, as one node has recently learned them.
 * Immutable.
 *
 * @param leader the node that leads the register; empty if no leader is known
 * @param followers the members that answer the leader
 * @param silent the members that have not answered the leader for seconds
 * @param missing the planned members that have not joined the register yet
 * @param surplus the members that the plan no longer includes, which are also in one of the lists
 *     above
 */
public record RegisterLocation(
    String leader,
    List<String> followers,
    List<String> silent,
    List<String> missing,
    List<String> surplus) {
  /** Copies the lists. */
  public RegisterLocation {
    followers = List.copyOf(followers);
    silent = List.copyOf(silent);
    missing = List.copyOf(missing);
    surplus = List.copyOf(surplus);
  }

  /** A register without a known leader. */
  public static RegisterLocation unknown(List<String> planned) {
    return new RegisterLocation("", List.of(), List.of(), planned, List.of());
  }

  /** Whether all planned members follow a leader, so that any one of them may be restarted. */
  public boolean isComplete() {
    return !leader.isEmpty() && silent.isEmpty() && missing.isEmpty();
  }
}
