package io.github.stablecut.cluster;

import java.util.List;

/**
 * Where the register is in which the nodes of a cluster agree who leads its partitions, as one node
 * was told a moment ago. Immutable.
 *
 * @param leader the node that leads it; empty if nobody does, as far as is known
 * @param followers those that keep it besides, and answer the leader
 * @param silent those that keep it, and have not answered the leader for seconds
 * @param missing those that are to keep it, and do not yet
 * @param surplus those of all the others that are not to keep it any more
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

  /** Nobody is known to lead it. */
  public static RegisterLocation unknown(List<String> planned) {
    return new RegisterLocation("", List.of(), List.of(), planned, List.of());
  }

  /** Whether all that are to keep it do, and follow a leader: any of them may be restarted. */
  public boolean isComplete() {
    return !leader.isEmpty() && silent.isEmpty() && missing.isEmpty();
  }
}
