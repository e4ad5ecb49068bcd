package io.github.stablecut.internal.transaction;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The rules of a partition's replicas without the code (decision 20): machines with a replica each,
 * a configuration register, and a network that loses, repeats and reorders messages. Machines crash
 * and forget unsynced data, and lose their disks. Confined to one thread.
 */
final class ReplicasModel {
  /** A rule to omit. */
  enum Mutant {
    /** A candidate takes the next epoch without asking the register. */
    NO_REGISTER,
    /**
     * A node leads an epoch because the register names it, not because it knows that it has won.
     */
    BELIEVED_REGISTER,
    /** A candidate serves without the votes of a majority. */
    NO_SEAL,
    /** A voter answers a vote request before its vote is durable. */
    VOTE_NOT_DURABLE,
    /** A replica accepts groups of an epoch below its vote. */
    NO_EPOCH_CHECK,
    /** A candidate does not fetch records that the others have and it lacks. */
    NO_FETCH,
    /** A leader serves without a header of its epoch on a majority. */
    NO_HEADER,
    /** A replica keeps a deposed leader's records where the leader has others. */
    NO_TRUNCATION,
    /** A replica accepts a group although its log before it differs from the leader's. */
    NO_MATCH,
    /** A follower acknowledges a group before it is synced. */
    EARLY_ACKNOWLEDGEMENT,
    /** A commit counts once the leader has synced it. */
    NO_MAJORITY,
    /** A prepared part counts once the leader has synced it. */
    PREPARED_WITHOUT_MAJORITY,
    /** A clock ceiling counts once the leader has synced it. */
    CEILING_WITHOUT_MAJORITY,
    /** A leader answers latest reads without asking a majority whether it still leads. */
    NO_READ_ROUND,
    /** A follower's snapshots see entries that it does not know to be committed. */
    EARLY_VISIBILITY,
    /** A replica whose disk was lost, or is an older one, still votes. */
    FORGETFUL_VOTER,
    /** A voter is replaced by another in one step. */
    SWAPPED_VOTERS,
    /** A leader changes the voters before it serves in the epoch of the last change. */
    HASTY_CHANGE
  }

  enum Kind {
    HEADER,
    WRITE,
    PREPARED,
    CEILING
  }

  record Entry(int epoch, Kind kind, long time, int number) {
    boolean isWrite() {
      return kind == Kind.WRITE || kind == Kind.PREPARED;
    }
  }

  record ModelConfiguration(int epoch, int leader, Set<Integer> voters) {
    boolean isMajority(Set<Integer> replicas) {
      return voters.stream().filter(replicas::contains).count() * 2 > voters.size();
    }
  }

  private record Letter(int from, int to, Consumer<ReplicasModelReplica> delivery) {}

  static final ModelConfiguration NOBODY = new ModelConfiguration(0, -1, Set.of());

  private static final int MACHINES = 5;
  private static final int STEPS = 3_000;
  private static final int MAX_LETTERS = 30;

  private final Random random;
  private final Optional<Mutant> mutant;
  private final ReplicasModelCheck check = new ReplicasModelCheck();
  private final List<ReplicasModelReplica> replicas = new ArrayList<>();
  private final List<Letter> letters = new ArrayList<>();

  /** The machines that receive nothing now, and those whose messages are lost. */
  private final Set<Integer> deaf = new HashSet<>();

  private final Set<Integer> mute = new HashSet<>();
  private final List<ModelConfiguration> configurations = new ArrayList<>();

  private ModelConfiguration register;

  /** The newest epoch in which a leader has served. */
  private int active;

  private int ids;
  private int numbers;
  private int lostDisks;

  ReplicasModel(long seed, Optional<Mutant> mutant) {
    this.random = new Random(seed);
    this.mutant = mutant;
    for (int machine = 0; machine < MACHINES; machine++) {
      replicas.add(new ReplicasModelReplica(this, machine, random, check));
    }
    register = new ModelConfiguration(0, -1, Set.of(0, 1, 2));
    configurations.add(register);
  }

  boolean is(Mutant rule) {
    return mutant.equals(Optional.of(rule));
  }

  static long ceiling(List<Entry> log) {
    return log.stream()
        .filter(entry -> entry.kind == Kind.CEILING)
        .mapToLong(Entry::time)
        .max()
        .orElse(0);
  }

  /** The epoch of the entry before a length; 0 if there is none. */
  static int epochAt(List<Entry> log, int length) {
    return length == 0 ? 0 : log.get(length - 1).epoch;
  }

  IntStream leaders(int epoch) {
    return configurations.stream()
        .filter(one -> one.epoch == epoch && epoch > 0)
        .mapToInt(ModelConfiguration::leader);
  }

  int newId() {
    return ids++;
  }

  int nextNumber() {
    return numbers++;
  }

  /** The register's epoch. */
  int epoch() {
    return register.epoch;
  }

  /** The register accepts a configuration, if it is newer. */
  void agree(ModelConfiguration configuration) {
    if (configuration.epoch > register.epoch) {
      register = configuration;
    }
    configurations.add(configuration);
  }

  /** A leader serves in an epoch. */
  void served(int epoch) {
    active = Math.max(active, epoch);
  }

  ReplicasModelReplica anyCopy() {
    return replicas.get(random.nextInt(MACHINES));
  }

  void send(int from, int to, Consumer<ReplicasModelReplica> delivery) {
    if (letters.size() == MAX_LETTERS) {
      letters.remove(random.nextInt(MAX_LETTERS));
    }
    letters.add(new Letter(from, to, delivery));
  }

  /** Runs, and returns the first violation; empty if there is none. */
  Optional<String> run() {
    for (int i = 0; i < STEPS && check.violation().isEmpty(); i++) {
      step(replicas.get(random.nextInt(MACHINES)), random.nextInt(1_000));
    }
    return check.violation();
  }

  private void step(ReplicasModelReplica replica, int kind) {
    if (kind < 450) {
      deliver();
    } else if (kind < 620) {
      replica.sync();
    } else if (kind < 810) {
      anyLeader(replica).repeat();
    } else if (kind < 980) {
      ReplicasModelReplica leader = anyLeader(replica);
      if (leader.role() == ReplicasModelReplica.Role.LEADING) {
        serve(leader, random.nextInt(4));
      }
      if (random.nextInt(10) == 0 && replica.role() == ReplicasModelReplica.Role.FOLLOWER) {
        replica.readAsFollower();
      }
    } else if (kind < 988) {
      replica.crash();
    } else if (kind < 991) {
      cutOrHeal(replica.machine());
    } else if (kind < 995) {
      campaign(replica);
    } else if (kind < 999) {
      changeVoters(anyLeader(replica));
    } else if (active > 0 && mayLose(replica)) {
      lostDisks++;
      replica.loseDisk();
    }
  }

  /** The node that asks the register may crash before it knows that it has won. */
  private void campaign(ReplicasModelReplica replica) {
    if (!register.voters.contains(replica.id())) {
      return;
    }
    boolean isNamed = register.leader == replica.machine();
    if (is(Mutant.BELIEVED_REGISTER)
        && isNamed
        && replica.role() == ReplicasModelReplica.Role.FOLLOWER) {
      replica.lead(register);
    } else if (random.nextInt(4) == 0) {
      agree(new ModelConfiguration(register.epoch + 1, replica.machine(), register.voters));
      replica.crash();
    } else {
      replica.campaign(register.voters);
    }
  }

  private void cutOrHeal(int machine) {
    switch (random.nextInt(9)) {
      case 0 -> deaf.add(machine);
      case 1 -> mute.add(machine);
      case 2 -> {
        deaf.add(machine);
        mute.add(machine);
      }
      default -> {
        deaf.clear();
        mute.clear();
      }
    }
  }

  /** A leader or candidate; any replica if there is none. */
  private ReplicasModelReplica anyLeader(ReplicasModelReplica otherwise) {
    List<ReplicasModelReplica> leaders =
        replicas.stream().filter(one -> one.role() != ReplicasModelReplica.Role.FOLLOWER).toList();
    return leaders.isEmpty() ? otherwise : leaders.get(random.nextInt(leaders.size()));
  }

  private static void serve(ReplicasModelReplica leader, int kind) {
    switch (kind) {
      case 0 -> leader.readLatest();
      case 1 -> leader.readSnapshot();
      default -> leader.write();
    }
  }

  private void deliver() {
    if (!letters.isEmpty()) {
      int chosen = random.nextInt(letters.size());
      Letter letter = letters.get(chosen);
      if (random.nextInt(10) > 0) {
        letters.remove(chosen);
      }
      boolean isCut = deaf.contains(letter.to) || mute.contains(letter.from);
      if (!isCut && random.nextInt(10) > 0) {
        letter.delivery.accept(replicas.get(letter.to));
      }
    }
  }

  /** The leader of the register's configuration adds or removes one voter. */
  private void changeVoters(ReplicasModelReplica leader) {
    boolean isReady = leader.role() == ReplicasModelReplica.Role.LEADING || is(Mutant.HASTY_CHANGE);
    if (!isReady
        || leader.role() == ReplicasModelReplica.Role.FOLLOWER
        || leader.configuration().epoch() != register.epoch) {
      return;
    }
    Set<Integer> voters = new HashSet<>(register.voters);
    boolean isFull = voters.size() > 3;
    if (isFull || is(Mutant.SWAPPED_VOTERS)) {
      List<Integer> others = new ArrayList<>(voters);
      others.remove(Integer.valueOf(leader.id()));
      voters.remove(others.get(random.nextInt(others.size())));
    }
    if (!isFull) {
      List<Integer> learners =
          replicas.stream()
              .map(one -> one.id())
              .filter(id -> !register.voters.contains(id))
              .toList();
      voters.add(learners.get(random.nextInt(learners.size())));
    }
    leader.campaign(Set.copyOf(voters));
  }

  /** Whether less than half of the voters of any configuration that may count are lost at once. */
  private boolean mayLose(ReplicasModelReplica replica) {
    Set<Integer> there = new HashSet<>();
    replicas.stream().filter(one -> one != replica).forEach(one -> there.add(one.id()));
    return is(Mutant.FORGETFUL_VOTER)
        ? lostDisks == 0
        : configurations.stream()
            .filter(configuration -> configuration.epoch >= active)
            .allMatch(configuration -> configuration.isMajority(there));
  }

  /** Whether leaders have changed, everything was read, and a disk was lost. */
  boolean isEventful() {
    return check.isEventful() && lostDisks > 0;
  }
}
