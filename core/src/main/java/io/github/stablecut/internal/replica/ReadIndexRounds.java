package io.github.stablecut.internal.replica;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The rounds in which a leader asks the other voters whether it still leads, each for all reads
 * that wait when it begins. Guarded by its {@link LogReplicator}, which tells those that have
 * waited once it has given up its monitor: they go on on its thread, and may wait for other
 * partitions.
 */
final class ReadIndexRounds {
  private final String self;
  private final Configuration configuration;
  private final ReplicaHost host;

  /** Who has confirmed in the newest round. */
  private final Set<String> confirmed = new HashSet<>();

  /** Those that wait for the newest round; none if it has ended. */
  private List<CompletableFuture<Boolean>> inRound = List.of();

  /** Those that have asked since it began: they wait for the next. */
  private List<CompletableFuture<Boolean>> inNextRound = new ArrayList<>();

  private long lastRound;

  ReadIndexRounds(String self, Configuration configuration, ReplicaHost host) {
    this.self = self;
    this.configuration = configuration;
    this.host = host;
  }

  /** Completes with whether a majority has promised no later epoch after this call. */
  CompletableFuture<Boolean> ask() {
    CompletableFuture<Boolean> stillLeads = new CompletableFuture<>();
    inNextRound.add(stillLeads);
    if (inRound.isEmpty()) {
      // Nobody waits for it yet, if it is a majority alone.
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

  /** Asks a copy; that also says that the leader is there. */
  void ask(String name) {
    host.send(name, new ReplicaMessage.Confirm(configuration.epoch(), lastRound));
  }

  /**
   * A voter has promised no later epoch.
   *
   * @return those whose round has ended: the copy still leads
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

  /** Whether a voter has not answered in the newest round, which goes on. */
  boolean isAsked(String name) {
    return !inRound.isEmpty() && configuration.voters().contains(name) && !confirmed.contains(name);
  }

  /**
   * The copy does not lead any more.
   *
   * @return those that have waited
   */
  List<CompletableFuture<Boolean>> end() {
    List<CompletableFuture<Boolean>> all = new ArrayList<>(inRound);
    all.addAll(inNextRound);
    inRound = List.of();
    inNextRound.clear();
    return all;
  }
}
