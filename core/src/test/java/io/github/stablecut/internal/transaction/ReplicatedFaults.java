package io.github.stablecut.internal.transaction;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * The kinds and the rates of the faults in one history of {@link SimulatedCluster}. Each history
 * draws its own mixture ("swarm testing"), as some problems only show while other faults are
 * absent. Faults come in bursts; between these everything recovers and clients get their answers.
 * Immutable.
 *
 * @param kinds the kinds that each fault is chosen from; empty if there are none
 * @param gapMillis the longest time between two bursts
 * @param burst the most faults in a burst
 * @param burstMillis the longest time between two faults of a burst
 * @param shortestMillis the shortest duration of a cut or a pause; others take about two seconds to
 *     lead instead
 * @param longerMillis how much longer it may take
 * @param isPartial whether cuts stop only the messages between replicas, unless a fault says
 *     otherwise: others may be as late as they are
 * @param lossPercent the share of messages that are lost or repeated
 * @param latePercent the share of messages that take up to three seconds
 * @param flushMillis the longest time until a leader flushes
 * @param maxSkewMillis how much clocks differ
 * @param clockPercents how fast each node's monotonic clock is
 * @param oldLeaderPercent how often a client finds any of several leaders, not the newest one
 * @param stayPercent how often a client that knows one of several leaders asks that one again
 * @param message the kind of message before or after which a node crashes
 * @param shapes the sets of cut links between which {@link Kind#SHAPE} changes
 */
record ReplicatedFaults(
    List<Kind> kinds,
    int gapMillis,
    int burst,
    int burstMillis,
    int shortestMillis,
    int longerMillis,
    boolean isPartial,
    int lossPercent,
    int latePercent,
    int flushMillis,
    int maxSkewMillis,
    List<Integer> clockPercents,
    int oldLeaderPercent,
    int stayPercent,
    String message,
    List<Set<String>> shapes) {
  enum Kind {
    CRASH,
    CRASH_OF_LEADER,
    POWER_CUT,
    END,
    CUT_LINK,
    MUTE,
    DEAF,
    ISOLATED_LEADER,
    /** The leader commits with one other node only, and is then cut off from both. */
    LAGGING_THIRD,
    /** A leader with records of its own is cut off while others lead twice. */
    TWO_FAILOVERS,
    /** A deposed leader gets messages of clients and other partitions, but none of its voters. */
    DEPOSED_LEADER,
    /** Two leaders in turn have records that no other node knows (Raft, figure 8). */
    FIGURE_EIGHT,
    SHAPE,
    HEALED,
    FREEZE,
    FREEZE_OF_LEADER,
    TRANSFER,
    JOURNAL_FAULT,
    VOTE_FAULT,
    CHECKPOINT_FAULT,
    CLOCK_JUMP,
    LOST_DISK,
    /** A node crashes, and the end of a log that it had synced is damaged. */
    DAMAGED_TAIL,
    /** A node crashes once records are written, but not synced. */
    CRASH_WHEN_WRITTEN,
    /** A node crashes once records, or the header of an epoch, are synced; nobody knows of them. */
    CRASH_WHEN_SYNCED,
    /** A node crashes once its vote is durable; nobody knows of it. */
    CRASH_WHEN_VOTED,
    CRASH_BEFORE_MESSAGE,
    CRASH_AFTER_MESSAGE
  }

  private static final List<String> MESSAGES =
      List.of(
          "Group",
          "Acknowledged",
          "Vote",
          "VoteRequest",
          "TimeoutNow",
          "CheckpointListing",
          "CompleteTime",
          "Commit",
          "Acknowledge",
          "Abort",
          "Query");

  /** Draws the faults of a history. */
  static ReplicatedFaults draw(Random random, List<String> names) {
    List<Kind> kinds = new ArrayList<>();
    int share = 1 + random.nextInt(3);
    for (Kind kind : Kind.values()) {
      if (random.nextInt(5) < share) {
        kinds.add(kind);
      }
    }
    if (random.nextInt(3) > 0) {
      // Two leaders at a time.
      kinds.addAll(
          List.of(Kind.ISOLATED_LEADER, Kind.LAGGING_THIRD, Kind.TWO_FAILOVERS, Kind.FIGURE_EIGHT));
      kinds.add(Kind.DEPOSED_LEADER);
    }
    List<Set<String>> shapes = new ArrayList<>();
    for (int number = 1 + random.nextInt(3); number > 0; number--) {
      shapes.add(shape(random, names));
    }
    return new ReplicatedFaults(
        kinds,
        700 << random.nextInt(3),
        1 + random.nextInt(4),
        10 << random.nextInt(8),
        random.nextInt(3) == 0 ? 0 : 2_500,
        1_000 << random.nextInt(3),
        random.nextBoolean(),
        random.nextInt(3) * random.nextInt(8),
        random.nextInt(3) * random.nextInt(6),
        5 << random.nextInt(8),
        1 + random.nextInt(1 << random.nextInt(12)),
        names.stream().map(name -> clockPercent(random)).toList(),
        List.of(10, 30, 60).get(random.nextInt(3)),
        List.of(0, 70, 95).get(random.nextInt(3)),
        MESSAGES.get(random.nextInt(MESSAGES.size())),
        shapes);
  }

  /** Most clocks are right. A machine that is suspended now and then has a slow one. */
  private static int clockPercent(Random random) {
    return random.nextInt(4) > 0 ? 100 : List.of(30, 60, 150).get(random.nextInt(3));
  }

  /** A node is alone, or each link in one direction is cut with the same probability. */
  private static Set<String> shape(Random random, List<String> names) {
    Set<String> cut = new HashSet<>();
    int alone = random.nextInt(names.size());
    boolean isAny = random.nextInt(3) == 0;
    for (int from = 0; from < names.size(); from++) {
      for (int to = 0; to < names.size(); to++) {
        boolean isCut = isAny ? random.nextInt(3) == 0 : from == alone || to == alone;
        if (from != to && isCut) {
          cut.add(link(from, to));
        }
      }
    }
    return cut;
  }

  /** The same faults without those of some names. */
  ReplicatedFaults without(Set<String> names) {
    return new ReplicatedFaults(
        kinds.stream().filter(kind -> !names.contains(kind.name())).toList(),
        gapMillis,
        burst,
        burstMillis,
        shortestMillis,
        longerMillis,
        isPartial,
        names.contains("LOSS") ? 0 : lossPercent,
        names.contains("LATE") ? 0 : latePercent,
        flushMillis,
        maxSkewMillis,
        clockPercents,
        oldLeaderPercent,
        stayPercent,
        message,
        shapes);
  }

  /** The names of what {@link #without} can leave out. */
  Set<String> names() {
    Set<String> names = new TreeSet<>();
    kinds.forEach(kind -> names.add(kind.name()));
    if (lossPercent > 0) {
      names.add("LOSS");
    }
    if (latePercent > 0) {
      names.add("LATE");
    }
    return names;
  }

  /** The direct link from one node to another. */
  static String link(int from, int to) {
    return from + ">" + to;
  }
}
