package io.github.stablecut.internal.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How a leader that serves changes the voters, one at a time, until each node that is to have a
 * copy has one, and no other has. A node that came back with an empty directory takes its own place
 * again, and another node that of one that is lost for ever: that copy is removed, and in the next
 * epoch the new one is added. Both only once the new one has what is committed, so that there are
 * fewer voters for a moment only. What is too many goes when all others vote. Nobody goes while
 * those that are left could not go on at once. Confined to the copy's thread.
 *
 * <p>Removing what is lost comes first: a node whose directory is lost again meanwhile costs no
 * majority.
 */
final class VoterChanges {
  private final String self;

  /** Those that are to have copies. */
  private List<String> nodes;

  VoterChanges(String self, List<String> nodes) {
    this.self = self;
    this.nodes = List.copyOf(nodes);
  }

  /** From now on other nodes are to have copies. */
  void place(List<String> newest) {
    nodes = List.copyOf(newest);
  }

  /** Whether a copy is on one of the nodes that are to have them. */
  boolean isWanted(String replica) {
    return nodes.contains(Configuration.nodeOf(replica));
  }

  /** Whether each node has a copy that votes, and no other copy does. */
  boolean isComplete(Configuration configuration) {
    return haveVoters(configuration) && configuration.voters().size() == nodes.size();
  }

  private boolean haveVoters(Configuration configuration) {
    return nodes.stream().allMatch(node -> !votersOf(configuration, node).isEmpty());
  }

  private static List<String> votersOf(Configuration configuration, String node) {
    return configuration.voters().stream()
        .filter(voter -> Configuration.nodeOf(voter).equals(node))
        .toList();
  }

  private List<String> unwanted(Configuration configuration) {
    return configuration.voters().stream().filter(voter -> !isWanted(voter)).toList();
  }

  /** The layout with those first among its voters that are to stay: they are to lead. */
  Configuration preferring(Configuration configuration) {
    List<String> voters = new ArrayList<>(configuration.voters());
    voters.removeIf(voter -> !isWanted(voter));
    voters.addAll(unwanted(configuration));
    return new Configuration(configuration.epoch(), configuration.leader(), voters);
  }

  /**
   * Whether the leader is to give way: it can't be removed while it leads. It stays while none of
   * those that are to follow it could go on at once.
   */
  boolean isLeaderTooMany(Configuration configuration, LogReplicator replicator) {
    return successor(configuration, replicator).isPresent();
  }

  /** One that could go on at once instead of a leader that is to give way. */
  Optional<String> successor(Configuration configuration, LogReplicator replicator) {
    if (isWanted(self) || !haveVoters(configuration)) {
      return Optional.empty();
    }
    return configuration.voters().stream()
        .filter(one -> isWanted(one) && replicator.isUpToDate(one))
        .findFirst();
  }

  /** The next layout, if there is something to change. */
  Optional<Configuration> next(Configuration configuration, LogReplicator replicator) {
    return replicator.learners().stream()
        .filter(this::isWanted)
        .flatMap(learner -> next(configuration, learner, replicator).stream())
        .findFirst()
        .or(() -> withoutOneTooMany(configuration, replicator));
  }

  private Optional<Configuration> next(
      Configuration configuration, String learner, LogReplicator replicator) {
    List<String> earlier = votersOf(configuration, Configuration.nodeOf(learner));
    Optional<String> lost =
        silent(earlier.isEmpty() ? unwanted(configuration) : earlier, replicator).findFirst();
    if (lost.isPresent()) {
      // An earlier copy of the learner's node will not be back; any other one may only be slow.
      return lost.filter(voter -> canGoOnWithout(voter, configuration, replicator))
          .map(configuration::without);
    }
    return earlier.isEmpty() ? Optional.of(configuration.with(learner)) : Optional.empty();
  }

  private Stream<String> silent(List<String> voters, LogReplicator replicator) {
    return voters.stream().filter(voter -> !voter.equals(self) && replicator.isSilent(voter));
  }

  private Optional<Configuration> withoutOneTooMany(
      Configuration configuration, LogReplicator replicator) {
    if (!haveVoters(configuration)) {
      return Optional.empty();
    }
    List<String> tooMany = unwanted(configuration);
    return silent(tooMany, replicator)
        .findFirst()
        .or(() -> tooMany.stream().filter(voter -> !voter.equals(self)).findFirst())
        .filter(voter -> canGoOnWithout(voter, configuration, replicator))
        .map(configuration::without);
  }

  /**
   * Whether the voters that are left could go on at once: a majority of them is heard, and has what
   * is committed. It also has room, unless the one that goes is silent, without which it would not
   * commit now either: a new voter may have some.
   */
  private boolean canGoOnWithout(
      String voter, Configuration configuration, LogReplicator replicator) {
    boolean isSilent = replicator.isSilent(voter);
    Configuration next = configuration.without(voter);
    return next.isMajority(
        next.voters().stream()
            .filter(
                one ->
                    one.equals(self)
                        || (isSilent ? replicator.hasCommitted(one) : replicator.isUpToDate(one)))
            .toList());
  }
}
