package io.github.stablecut.internal.replica;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The read index rounds in which a leader asks the other voters whether it still leads, each round
 * for all reads that wait when it begins.
 *
 * <p>Guarded by its {@link LogReplicator}, which completes the futures after it has released its
 * monitor: their callbacks run on its thread, and may wait for other partitions.
 */
final class ReadIndexRounds {
  private final String self;
  private final Configuration configuration;
  private final ReplicaHost host;

  /** The voters that have confirmed the newest round. */
  private final Set<String> confirmed = new HashSet<>();

  /** The reads that wait for the newest round; empty if it has ended. */
  private List<CompletableFuture<Boolean>> inRound = List.of();

  /** The reads that arrived since it began, which wait for the next round. */
  private List<CompletableFuture<Boolean>> inNextRound = new ArrayList<>();

  private long lastRound;

  ReadIndexRounds(String self, Configuration configuration, ReplicaHost host) {
    this.self = self;
    this.configuration = configuration;
    this.host = host;
  }

  /**
   * Completes with true if, after this call, a majority confirms that it has promised no later
   * epoch.
   */
  CompletableFuture<Boolean> ask() {
    CompletableFuture<Boolean> stillLeads = new CompletableFuture<>();
    inNextRound.add(stillLeads);
    if (inRound.isEmpty()) {
      // With a single voter the round ends at once, when no caller waits on the future yet.
      begin().forEach(one -> one.complete(true));
    }
    return stillLeads;
  }

  private List<CompletableFuture<Boolean>> begin() {
    lastRound++;
    inRound = inNextRound;
    inNextRound = new ArrayList<>();
    confirmed.clear();
    for (String name : configuration.voters()) {
      if (!name.equals(self)) {
        ask(name);
      }
    }
    return confirmed(self, lastRound);
  }

  /** Asks a replica for the newest round, which is also a heartbeat. */
  void ask(String name) {
    host.send(name, new ReplicaMessage.ReadIndexRequest(configuration.epoch(), lastRound));
  }

  /**
   * A voter confirmed a round.
   *
   * @return the reads whose round has ended successfully
   */
  List<CompletableFuture<Boolean>> confirmed(String from, long round) {
    if (round != lastRound || inRound.isEmpty()) {
      return List.of();
    }
    confirmed.add(from);
    if (!configuration.isMajority(confirmed)) {
      return List.of();
    }
    List<CompletableFuture<Boolean>> done = new ArrayList<>(inRound);
    inRound = List.of();
    if (!inNextRound.isEmpty()) {
      done.addAll(begin());
    }
    return done;
  }

  /** Whether a voter has yet to answer the newest round. */
  boolean isUnanswered(String name) {
    return !inRound.isEmpty() && configuration.voters().contains(name) && !confirmed.contains(name);
  }

  /**
   * Ends all rounds: the replica stepped down.
   *
   * @return all waiting reads
   */
  List<CompletableFuture<Boolean>> end() {
    List<CompletableFuture<Boolean>> all = new ArrayList<>(inRound);
    all.addAll(inNextRound);
    inRound = List.of();
    inNextRound.clear();
    return all;
  }
}
