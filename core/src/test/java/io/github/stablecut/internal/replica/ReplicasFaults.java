package io.github.stablecut.internal.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * How much goes wrong in one history of {@link ReplicasSimulation}, and what: each history has its
 * own mixture, as some things only go wrong where others are quiet. Immutable.
 *
 * @param kinds those of which one is chosen at each fault
 * @param gapMillis the most time between two of them
 * @param lossPercent of all messages
 * @param latePercent of all messages, which take up to three seconds
 */
record ReplicasFaults(List<Kind> kinds, int gapMillis, int lossPercent, int latePercent) {
  enum Kind {
    CRASH,
    CRASH_OF_LEADER,
    ORDERLY_END,
    CUT_LINK,
    MUTE,
    DEAF,
    ISOLATED_LEADER,
    HEALED,
    PAUSE,
    PAUSE_OF_LEADER,
    CLOCK_STEP,
    FULL_DISK,
    LOST_DISK,
    LOST_LEADER,
    OTHER_NODE,
    OTHER_NUMBER,
    DAMAGED_TAIL,
    POWER_CUT
  }

  static ReplicasFaults any(RandomGenerator random) {
    List<Kind> kinds = new ArrayList<>();
    int share = 1 + random.nextInt(3);
    for (Kind kind : Kind.values()) {
      if (random.nextInt(3) < share) {
        kinds.add(kind);
      }
    }
    kinds.add(Kind.HEALED);
    return new ReplicasFaults(
        List.copyOf(kinds),
        List.of(200, 600, 1_500, 4_000).get(random.nextInt(4)),
        List.of(0, 2, 5, 15).get(random.nextInt(4)),
        List.of(0, 1, 2, 10).get(random.nextInt(4)));
  }
}
