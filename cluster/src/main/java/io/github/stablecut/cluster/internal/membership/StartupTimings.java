package io.github.stablecut.cluster.internal.membership;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The times at which a starting node reaches its stages, for its log. Each stage is recorded once.
 * Confined to its node's actor.
 */
public final class StartupTimings {
  /** The stages of a node's start. */
  public enum Stage {
    /** A member admitted the node, or the node started a cluster itself. */
    ADMITTED("found a cluster"),
    /** Akka made it a member. */
    MEMBER("became a member"),
    /** Its partitions are open. */
    OPEN("opened its partitions"),
    /** All reachable members have sent their state and acknowledged the node's. */
    READY("heard the others");

    private final String words;

    Stage(String words) {
      this.words = words;
    }
  }

  private final LongSupplier nanoTime;
  private final long startedNanos;

  /** Nanoseconds after the start, in the order of arrival. */
  private final Map<Stage, Long> nanosByStage = new LinkedHashMap<>();

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  public StartupTimings(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.startedNanos = nanoTime.getAsLong();
  }

  /** Records that a stage is reached, the first time. */
  public void reach(Stage stage) {
    nanosByStage.putIfAbsent(stage, nanoTime.getAsLong() - startedNanos);
  }

  @Override
  public String toString() {
    return nanosByStage.entrySet().stream()
        .map(
            entry ->
                "%s after %,d ms".formatted(entry.getKey().words, entry.getValue() / 1_000_000))
        .collect(Collectors.joining(", "));
  }
}
