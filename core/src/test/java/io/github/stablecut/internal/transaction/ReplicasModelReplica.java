package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.transaction.ReplicasModel.Entry;
import io.github.stablecut.internal.transaction.ReplicasModel.Kind;
import io.github.stablecut.internal.transaction.ReplicasModel.ModelConfiguration;
import io.github.stablecut.internal.transaction.ReplicasModel.Mutant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A machine of {@link ReplicasModel} and its replica; another replica after its disk was lost.
 * Confined to one thread.
 */
final class ReplicasModelReplica {
  /**
   * A latest read in flight: the number of entries committed at its start, and the confirming
   * replicas.
   */
  private record Round(int number, int committed, Set<Integer> confirmed) {}

  /** The synced contents of a disk. */
  private record Disk(int votedEpoch, List<Entry> log) {}

  enum Role {
    FOLLOWER,
    /** Collects votes. */
    SEALING,
    /** Has all records, and awaits a majority for the header of its epoch. */
    STARTING,
    LEADING
  }

  private final ReplicasModel model;
  private final Random random;
  private final ReplicasModelCheck check;
  private final int machine;
  private int id;
  private int votedEpoch;
  private List<Entry> log = new ArrayList<>();
  private Disk disk = new Disk(0, List.of());
  private Disk older = disk;

  private Role role = Role.FOLLOWER;
  private ModelConfiguration configuration = ReplicasModel.NOBODY;
  private int committed;

  /** The epoch of the last accepted group. */
  private int source;

  /** The length of the log that is known to equal that of the leader of that epoch. */
  private int matched;

  private final Map<Integer, List<Entry>> promises = new HashMap<>();
  private final Map<Integer, Integer> synced = new HashMap<>();
  private final Map<Integer, Integer> next = new HashMap<>();
  private final List<Round> rounds = new ArrayList<>();
  private int header;
  private long clock;

  ReplicasModelReplica(ReplicasModel model, int machine, Random random, ReplicasModelCheck check) {
    this.model = model;
    this.random = random;
    this.check = check;
    this.machine = machine;
    this.id = model.newId();
  }

  int machine() {
    return machine;
  }

  int id() {
    return id;
  }

  Role role() {
    return role;
  }

  ModelConfiguration configuration() {
    return configuration;
  }

  private void send(int to, Consumer<ReplicasModelReplica> delivery) {
    model.send(machine, to, delivery);
  }

  private void stepDown() {
    role = Role.FOLLOWER;
    rounds.clear();
  }

  private void promise(int epoch) {
    if (epoch > votedEpoch) {
      votedEpoch = epoch;
      matched = 0;
      stepDown();
    }
  }

  void crash() {
    int survived = disk.log().size();
    boolean isLonger =
        log.size() > survived
            && log.subList(0, survived).equals(disk.log())
            && random.nextBoolean();
    if (isLonger) {
      survived += random.nextInt(log.size() - survived + 1);
      disk = new Disk(disk.votedEpoch(), List.copyOf(log.subList(0, survived)));
    }
    restart();
  }

  private void restart() {
    log = new ArrayList<>(disk.log());
    votedEpoch = Math.max(disk.votedEpoch(), ReplicasModel.epochAt(log, log.size()));
    committed = 0;
    matched = 0;
    stepDown();
  }

  void sync() {
    disk =
        new Disk(
            model.is(Mutant.VOTE_NOT_DURABLE) ? disk.votedEpoch() : votedEpoch, List.copyOf(log));
    if (random.nextInt(20) == 0) {
      older = disk;
    }
    if (role == Role.FOLLOWER) {
      acknowledge(Math.min(matched, log.size()));
    } else if (role != Role.SEALING) {
      synced.merge(id, log.size(), Math::max);
      if (model.is(Mutant.PREPARED_WITHOUT_MAJORITY)) {
        reportPrepared();
      }
      count();
    }
  }

  private void reportPrepared() {
    for (int i = 0; i < log.size(); i++) {
      if (log.get(i).kind() == Kind.PREPARED) {
        check.report(i, log.get(i));
      }
    }
  }

  private void acknowledge(int length) {
    int epoch = source;
    int self = id;
    model
        .leaders(epoch)
        .forEach(to -> send(to, leader -> leader.acknowledged(epoch, self, length)));
  }

  /** Agrees on the next configuration with the register, then requests votes. */
  void campaign(Set<Integer> voters) {
    int next =
        model.is(Mutant.NO_REGISTER) ? Math.max(votedEpoch, configuration.epoch()) : model.epoch();
    ModelConfiguration agreed = new ModelConfiguration(next + 1, machine, voters);
    model.agree(agreed);
    lead(agreed);
  }

  /** Requests votes, to lead in the epoch of a configuration. */
  void lead(ModelConfiguration agreed) {
    promise(agreed.epoch());
    sync();
    configuration = agreed;
    role = Role.SEALING;
    promises.clear();
    promises.put(id, List.copyOf(log));
    if (model.is(Mutant.NO_SEAL)) {
      start();
    }
  }

  /** Repeats messages that may have been lost. */
  void repeat() {
    int epoch = configuration.epoch();
    ReplicasModelReplica other = model.anyCopy();
    if (role == Role.SEALING) {
      send(other.machine, replica -> replica.requestVote(epoch, machine));
      if (epoch < model.epoch()) {
        stepDown();
      }
    } else if (role != Role.FOLLOWER && other != this) {
      replicate(other);
      rounds.forEach(
          round -> send(other.machine, replica -> replica.confirm(epoch, machine, round.number())));
    }
  }

  private void requestVote(int epoch, int from) {
    if (epoch >= votedEpoch) {
      promise(epoch);
      sync();
      List<Entry> found = List.copyOf(log);
      int self = id;
      send(from, candidate -> candidate.voted(epoch, self, found));
    }
  }

  private void voted(int epoch, int from, List<Entry> found) {
    if (role == Role.SEALING && configuration.epoch() == epoch) {
      promises.put(from, found);
      if (configuration.isMajority(promises.keySet())) {
        start();
      }
    }
  }

  /** Fetches the longest log of the newest epoch, and writes its own header. */
  private void start() {
    if (!model.is(Mutant.NO_FETCH)) {
      promises.forEach(
          (from, found) -> {
            int newest = ReplicasModel.epochAt(found, found.size());
            int own = ReplicasModel.epochAt(log, log.size());
            if (configuration.voters().contains(from)
                && (newest > own || (newest == own && found.size() > log.size()))) {
              log = new ArrayList<>(found);
            }
          });
    }
    if (log.size() < committed) {
      check.fail(
          "a candidate knows %d entries to be committed, and takes over with %d"
              .formatted(committed, log.size()));
      committed = log.size();
    }
    synced.clear();
    next.clear();
    clock = log.stream().mapToLong(Entry::time).max().orElse(0);
    header = log.size();
    role = Role.STARTING;
    if (model.is(Mutant.NO_HEADER)) {
      role = Role.LEADING;
    } else {
      log.add(new Entry(configuration.epoch(), Kind.HEADER, 0, model.nextNumber()));
    }
  }

  private void replicate(ReplicasModelReplica other) {
    int from = Math.min(next.getOrDefault(other.id, log.size()), log.size());
    int to = Math.min(log.size(), from + 1 + random.nextInt(4));
    List<Entry> group = List.copyOf(log.subList(from, to));
    int epoch = configuration.epoch();
    int before = ReplicasModel.epochAt(log, from);
    int known = committed;
    send(other.machine, replica -> replica.take(epoch, machine, from, before, group, known));
  }

  private void take(
      int epoch, int leader, int from, int before, List<Entry> group, int leaderCommitted) {
    if (epoch < votedEpoch && !model.is(Mutant.NO_EPOCH_CHECK)) {
      return;
    }
    promise(epoch);
    if (epoch != source) {
      source = epoch;
      matched = 0;
    }
    if (role != Role.FOLLOWER) {
      return;
    }
    int self = id;
    boolean isMatch = from <= log.size() && ReplicasModel.epochAt(log, from) == before;
    if (from > log.size() || (!isMatch && !model.is(Mutant.NO_MATCH))) {
      int length = Math.min(log.size(), from - 1);
      send(leader, replica -> replica.refused(epoch, self, length));
      return;
    }
    for (int i = 0; i < group.size(); i++) {
      int at = from + i;
      if (at < log.size()
          && log.get(at).epoch() != group.get(i).epoch()
          && !model.is(Mutant.NO_TRUNCATION)) {
        if (at < committed) {
          check.fail("entry %d is committed, and to be cut off".formatted(at));
          return;
        }
        log = new ArrayList<>(log.subList(0, at));
      }
      if (at == log.size()) {
        log.add(group.get(i));
      }
    }
    matched = Math.max(matched, from + group.size());
    learn(Math.min(leaderCommitted, from + group.size()));
    if (model.is(Mutant.EARLY_ACKNOWLEDGEMENT)) {
      send(leader, replica -> replica.acknowledged(epoch, self, from + group.size()));
    }
  }

  private void refused(int epoch, int from, int length) {
    if (configuration.epoch() == epoch) {
      next.put(from, length);
    }
  }

  private void acknowledged(int epoch, int from, int length) {
    if ((role == Role.STARTING || role == Role.LEADING) && configuration.epoch() == epoch) {
      synced.merge(from, length, Math::max);
      next.put(from, Math.max(next.getOrDefault(from, 0), length));
      count();
    }
  }

  /** Determines how much a majority has synced. */
  private void count() {
    for (int length = log.size(); length > committed; length--) {
      int upTo = length;
      Set<Integer> have = new HashSet<>();
      synced.forEach(
          (replica, much) -> {
            if (much >= upTo) {
              have.add(replica);
            }
          });
      boolean isOwn = model.is(Mutant.NO_MAJORITY) && role == Role.LEADING && have.contains(id);
      boolean isHeaderIn = model.is(Mutant.NO_HEADER) || length > header;
      if (isHeaderIn && (configuration.isMajority(have) || isOwn)) {
        role = Role.LEADING;
        model.served(configuration.epoch());
        learn(length);
        return;
      }
    }
  }

  /** Committed entries become visible and are acknowledged. */
  private void learn(int length) {
    for (; committed < length; committed++) {
      check.report(committed, log.get(committed));
    }
  }

  /** A client writes. */
  void write() {
    clock++;
    Kind kind = random.nextInt(4) == 0 ? Kind.PREPARED : Kind.WRITE;
    log.add(new Entry(configuration.epoch(), kind, clock, model.nextNumber()));
  }

  /** A client reads the latest state. */
  void readLatest() {
    if (model.is(Mutant.NO_READ_ROUND)) {
      answerLatest(check.committed());
    } else {
      rounds.add(new Round(model.nextNumber(), check.committed(), new HashSet<>(Set.of(id))));
    }
  }

  private void confirm(int epoch, int leader, int round) {
    if (epoch >= votedEpoch) {
      int self = id;
      send(leader, replica -> replica.confirmed(epoch, self, round));
    }
  }

  private void confirmed(int epoch, int from, int number) {
    if (role != Role.LEADING || configuration.epoch() != epoch) {
      return;
    }
    for (Round round : List.copyOf(rounds)) {
      if (round.number() == number) {
        round.confirmed().add(from);
        if (configuration.isMajority(round.confirmed())) {
          rounds.remove(round);
          answerLatest(round.committed());
        }
      }
    }
  }

  private void answerLatest(int before) {
    check.latestRead(committed, before);
  }

  /** A client reads a snapshot of a leader, which keeps later commits above it. */
  void readSnapshot() {
    long time = Math.max(0, clock + random.nextInt(8) - 4);
    List<Entry> counts =
        model.is(Mutant.CEILING_WITHOUT_MAJORITY) ? disk.log() : log.subList(0, committed);
    if (time >= ReplicasModel.ceiling(counts)) {
      if (time >= ReplicasModel.ceiling(log)) {
        log.add(new Entry(configuration.epoch(), Kind.CEILING, time + 10, model.nextNumber()));
      }
      return;
    }
    clock = Math.max(clock, time);
    boolean isAwaited =
        log.subList(committed, log.size()).stream()
            .anyMatch(entry -> entry.isWrite() && entry.time() <= time);
    if (!isAwaited) {
      check.report(time, log.subList(0, committed));
    }
  }

  /** A client reads a snapshot of a follower, at or below its committed entries. */
  void readAsFollower() {
    List<Entry> known = model.is(Mutant.EARLY_VISIBILITY) ? log : log.subList(0, committed);
    known.stream()
        .filter(Entry::isWrite)
        .mapToLong(Entry::time)
        .max()
        .ifPresent(time -> check.report(time, known));
  }

  /** Another disk, empty or older, without the right to vote. */
  void loseDisk() {
    disk = random.nextBoolean() ? older : new Disk(0, List.of());
    if (!model.is(Mutant.FORGETFUL_VOTER)) {
      id = model.newId();
    }
    older = disk;
    restart();
  }
}
