package io.github.stablecut.internal.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Decides how a leader changes the voters, one at a time, until exactly the wanted nodes each have
 * one voter.
 *
 * <p>A node that came back with an empty directory takes its old place, and a new node takes that
 * of a permanently lost one: the lost replica is removed, and the next epoch adds the new one. Both
 * happen only once the new one has all committed records, so the voters are fewer only briefly.
 * Surplus voters are removed once all wanted nodes have voters. No voter is removed unless the
 * remaining ones could continue at once. Confined to the replica's thread.
 *
 * <p>Removing the lost replica comes first: if the node loses its directory once more meanwhile,
 * that costs no majority.
 */
final class VoterChanges {
  private final String self;

  /** The nodes that are to have replicas. */
  private List<String> wantedNodes;

  /** The last complete configuration, which is read for each message. */
  private Optional<Configuration> complete = Optional.empty();

  VoterChanges(String self, List<String> nodes) {
    this.self = self;
    this.wantedNodes = List.copyOf(nodes);
  }

  /** Sets the nodes that are to have replicas. */
  void setNodes(List<String> newest) {
    wantedNodes = List.copyOf(newest);
    complete = Optional.empty();
  }

  /** Whether a replica is on a node that is to have one. */
  boolean isWanted(String replica) {
    return wantedNodes.contains(Configuration.nodeOf(replica));
  }

  /** Whether each wanted node has exactly one voter, and no other replica votes. */
  boolean isComplete(Configuration configuration) {
    if (complete.isPresent() && complete.get().equals(configuration)) {
      return true;
    }
    boolean isComplete =
        haveVoters(configuration) && configuration.voters().size() == wantedNodes.size();
    if (isComplete) {
      complete = Optional.of(configuration);
    }
    return isComplete;
  }

  private boolean haveVoters(Configuration configuration) {
    return wantedNodes.stream().allMatch(node -> !votersOf(configuration, node).isEmpty());
  }

  private static List<String> votersOf(Configuration configuration, String node) {
    return configuration.voters().stream()
        .filter(voter -> Configuration.nodeOf(voter).equals(node))
        .toList();
  }

  private List<String> unwanted(Configuration configuration) {
    return configuration.voters().stream().filter(voter -> !isWanted(voter)).toList();
  }

  /**
   * The configuration with the voters that are to stay first, so that they are preferred as
   * leaders.
   */
  Configuration preferringWanted(Configuration configuration) {
    List<String> voters = new ArrayList<>(configuration.voters());
    voters.removeIf(voter -> !isWanted(voter));
    voters.addAll(unwanted(configuration));
    return new Configuration(configuration.epoch(), configuration.leader(), voters);
  }

  /**
   * Whether the leader is surplus and another voter could take over at once; it can't be removed
   * while it leads.
   */
  boolean isLeaderSurplus(Configuration configuration, LogReplicator replicator) {
    return successor(configuration, replicator).isPresent();
  }

  /** A voter that could take over at once from a surplus leader. */
  Optional<String> successor(Configuration configuration, LogReplicator replicator) {
    if (isWanted(self) || !haveVoters(configuration)) {
      return Optional.empty();
    }
    return configuration.voters().stream()
        .filter(one -> isWanted(one) && replicator.isUpToDate(one))
        .findFirst();
  }

  /** The next configuration, if there is something to change. */
  Optional<Configuration> next(Configuration configuration, LogReplicator replicator) {
    return replicator.readyLearners().stream()
        .filter(this::isWanted)
        .flatMap(learner -> next(configuration, learner, replicator).stream())
        .findFirst()
        .or(() -> withoutSurplus(configuration, replicator));
  }

  private Optional<Configuration> next(
      Configuration configuration, String learner, LogReplicator replicator) {
    List<String> earlier = votersOf(configuration, Configuration.nodeOf(learner));
    Optional<String> lost =
        silent(earlier.isEmpty() ? unwanted(configuration) : earlier, replicator).findFirst();
    if (lost.isPresent()) {
      // An earlier replica of the learner's node will not return; any other one may only be slow.
      return lost.filter(voter -> canContinueWithout(voter, configuration, replicator))
          .map(configuration::without);
    }
    return earlier.isEmpty() ? Optional.of(configuration.with(learner)) : Optional.empty();
  }

  private Stream<String> silent(List<String> voters, LogReplicator replicator) {
    return voters.stream().filter(voter -> !voter.equals(self) && replicator.isSilent(voter));
  }

  private Optional<Configuration> withoutSurplus(
      Configuration configuration, LogReplicator replicator) {
    if (!haveVoters(configuration)) {
      return Optional.empty();
    }
    List<String> surplus = unwanted(configuration);
    return silent(surplus, replicator)
        .findFirst()
        .or(() -> surplus.stream().filter(voter -> !voter.equals(self)).findFirst())
        .filter(voter -> canContinueWithout(voter, configuration, replicator))
        .map(configuration::without);
  }

  /**
   * Whether the remaining voters could continue at once: a majority of them is alive and has all
   * committed records. That majority must also have disk space, unless the removed voter is silent.
   * Without a silent voter the partition could not commit now either, and a new voter may have
   * space.
   */
  private boolean canContinueWithout(
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
