package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Nodes keep the {@link SimulationRules} and agree once all faults are repaired ({@link
 * Agreement}), after lost, duplicate and late messages, cut links, restarts, and directories that
 * were replaced by older copies.
 */
final class MembershipSimulationTest {
  /** The number of histories; {@code -Dstablecut.histories} overrides it. */
  private static final int HISTORIES = Integer.getInteger("stablecut.histories", 2_500);

  private static final long FIRST = Long.getLong("stablecut.first", 1);

  @Test
  void historiesOfThreeToFiveNodesKeepTheRules() {
    AtomicInteger all = new AtomicInteger();
    LongStream.range(FIRST, FIRST + HISTORIES)
        .parallel()
        .forEach(
            seed -> {
              history(seed);
              all.incrementAndGet();
            });
    assertThat(all).hasValue(HISTORIES);
  }

  private static void history(long seed) {
    try {
      new SimulatedCluster(seed, false).run();
    } catch (AssertionError | RuntimeException e) {
      SimulatedCluster again = new SimulatedCluster(seed, true);
      try {
        again.run();
      } catch (AssertionError | RuntimeException expected) {
        throw new AssertionError(
            "history %d: %s%n%s".formatted(seed, e.getMessage(), String.join("\n", again.trace())),
            e);
      }
      throw new AssertionError("history " + seed + " was different when repeated", e);
    }
  }
}
