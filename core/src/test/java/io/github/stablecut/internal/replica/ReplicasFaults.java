package io.github.stablecut.internal.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The kinds and the frequency of faults in one history of {@link ReplicasSimulation}. Each history
 * has its own mixture, as some problems only show while other faults are absent. Immutable.
 *
 * @param kinds the kinds that each fault is chosen from
 * @param gapMillis the maximum time between two faults
 * @param lossPercent the share of messages that are lost
 * @param latePercent the share of messages that take up to three seconds
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
