package io.github.stablecut.cluster.internal.membership;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Where the time goes until a node serves, for its log. Each stage is noted once; the time between
 * two is the later one's. Confined to its node's actor.
 */
public final class StartupTimings {
  /** What a node waits for until it serves, by when it is there. */
  public enum Stage {
    /** A member has let it in, or it has begun a cluster itself. */
    ADMITTED("found a cluster"),
    /** Akka has made it a member. */
    MEMBER("became a member"),
    /** Its partitions are open. */
    OPEN("opened its partitions"),
    /** The others have said what they have, and that they know what it has. */
    READY("heard the others");

    private final String words;

    Stage(String words) {
      this.words = words;
    }
  }

  private final LongSupplier nanoTime;
  private final long began;

  /** In the order in which they came. */
  private final Map<Stage, Long> reached = new LinkedHashMap<>();

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  public StartupTimings(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.began = nanoTime.getAsLong();
  }

  /** A stage is over. */
  public void reach(Stage stage) {
    var unused = reached.putIfAbsent(stage, nanoTime.getAsLong() - began);
  }

  @Override
  public String toString() {
    return reached.entrySet().stream()
        .map(
            entry ->
                "%s after %,d ms".formatted(entry.getKey().words, entry.getValue() / 1_000_000))
        .collect(Collectors.joining(", "));
  }
}
